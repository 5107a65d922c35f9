"""Every row of every recipe at a time: children, history, comparison, pruning, timer."""
