import type { Opened } from './stack.ts'

/** Something that is closed together with stores, before one of them or before all. */
interface Closable {
  readonly name: string
  close(): Promise<void>
}

/**
 * Close stores from the last opened to the first: each before those that it uses.
 *
 * @param recorder is closed before the store `keepIn` where it writes, or first
 * @throws {AggregateError} with the errors of those that could not be closed; the others are closed
 */
export async function closeAll(
  opened: readonly Opened[],
  recorder?: { close(): Promise<void> },
  keepIn?: string,
): Promise<void> {
  const figures =
    recorder === undefined ? [] : [{ name: 'the figures of the monitor', close: () => recorder.close() }]
  const stores = opened.toReversed().map(({ name, root }) => ({ name, close: () => root.close() }))
  const at = stores.findIndex(({ name }) => name === keepIn)
  await closeInOrder(stores.toSpliced(Math.max(at, 0), 0, ...figures))
}

async function closeInOrder(all: readonly Closable[]): Promise<void> {
  const failures = new Map<string, unknown>()
  for (const one of all) await one.close().catch((error: unknown) => void failures.set(one.name, error))
  if (failures.size > 0)
    throw new AggregateError(failures.values(), `Not closed in order: ${[...failures.keys()].join(', ')}.`)
}
