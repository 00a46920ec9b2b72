"""A long run that is watched for what only shows in time: memory, late ticks, messages that are missed."""
