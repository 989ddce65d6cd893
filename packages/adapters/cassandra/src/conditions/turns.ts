import type { CallOptions } from '@unikv/core'
import { attempt } from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'

/** The last turn of each key, by client: what one client waits for must not hold up another. */
const turns = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Run the transactions of one key on one client, one after the other: at the same time they would hinder each other, and
 * end with an outcome that is not known. Waiting is part of the call.
 *
 * @throws {StoreError} `TIMEOUT` or `ABORTED` if the turn does not come in time: nothing was sent
 */
export async function inTurn<T>(
  { session, settings: { keyspace, table } }: Backend,
  key: string,
  call: CallOptions,
  run: () => Promise<T>,
): Promise<T> {
  const place = `${keyspace}.${table}/${key}`
  const last = turnsOf(session.client)
  const before = last.get(place)
  let done = (): void => {}
  const mine = new Promise<void>((resolve) => {
    done = resolve
  })
  // A call that gives up waiting must not let the next one pass those before it.
  const turn = before === undefined ? mine : Promise.all([before, mine])
  last.set(place, turn)
  try {
    if (before !== undefined) await attempt(call, false, () => before)
    return await run()
  } finally {
    done()
    void turn.then(() => last.get(place) === turn && last.delete(place))
  }
}

function turnsOf(client: object): Map<string, Promise<unknown>> {
  let found = turns.get(client)
  if (found === undefined) turns.set(client, (found = new Map()))
  return found
}
