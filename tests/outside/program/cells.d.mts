/** Run all cells of a program, one after the other. */
export function runCells<T>(
  stores: Readonly<Record<string, () => T>>,
  work: (store: T) => Promise<void>,
): Promise<void>
