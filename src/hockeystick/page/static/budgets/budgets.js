export async function startBudgets() {}
