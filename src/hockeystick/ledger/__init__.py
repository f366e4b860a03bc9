"""A team's privacy budgets in a database: never overspent, nothing lost, every change seen."""
