PREFIX = {"role": "system", "content": "Be brief."}
