"""The rules, one file each, named as the rule."""
