import type { Opened } from './stack.ts'

/** The place of the recorder in the list of those that could not be closed. */
const figures = 'the figures of the monitor'

/**
 * Close stores: each after those that use it, and otherwise at the same time, so that all together take no longer than the
 * slowest chain.
 *
 * @param recorder is closed before the store `keepIn` where it writes and after all that it counts; without a store, first
 * @throws {AggregateError} with the errors of those that could not be closed; the others are closed
 */
export async function closeAll(
  opened: readonly Opened[],
  recorder?: { close(): Promise<void> },
  keepIn?: string,
): Promise<void> {
  const failures = new Map<string, unknown>()
  const ends = new Map<string, Promise<void>>()
  const close = (name: string, after: readonly string[], one: { close(): Promise<void> }): void => {
    const closed = async (): Promise<void> => {
      await Promise.all(after.flatMap((other) => ends.get(other) ?? []))
      try {
        await one.close()
      } catch (error) {
        failures.set(name, error)
      }
    }
    ends.set(name, closed())
  }
  const usersOf = (name: string): readonly string[] =>
    opened.flatMap((one) => (one.uses.includes(name) ? [one.name] : []))
  const underKeeper = keepIn === undefined ? [] : withUsed(keepIn, opened)
  const counted = opened.filter(({ name }) => !underKeeper.includes(name))
  for (const { name, root } of counted.toReversed()) close(name, usersOf(name), root)
  if (recorder !== undefined) {
    const before = keepIn === undefined ? [] : counted.map(({ name }) => name)
    close(figures, before, recorder)
  }
  for (const { name, root } of opened.toReversed())
    if (underKeeper.includes(name))
      close(name, name === keepIn ? [...usersOf(name), figures] : usersOf(name), root)
  await Promise.all(ends.values())
  const names = [...ends.keys()].filter((name) => failures.has(name))
  if (names.length > 0)
    throw new AggregateError(
      names.map((name) => failures.get(name)),
      `Not closed in order: ${names.join(', ')}.`,
    )
}

/** A store, and all that it uses. */
function withUsed(name: string, opened: readonly Opened[]): readonly string[] {
  const uses = opened.find((one) => one.name === name)?.uses ?? []
  return [name, ...uses.flatMap((one) => withUsed(one, opened))]
}
