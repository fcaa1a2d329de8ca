"""The data of the value flow: what an expression may be, things with identity, what holds at a place."""
