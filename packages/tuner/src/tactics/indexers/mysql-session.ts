import { pause } from '@unikv/core/platform'

/** The members of a pool of mysql2 or mariadb that are used here, and of `native` of a store that opened its own. */
export interface Native {
  query(sql: string, values?: readonly unknown[]): Promise<unknown>
  getConnection(): Promise<Connection>
  /** A pool of mysql2 with callbacks has it. */
  promise?(): Native
}

interface Connection {
  query(sql: string, values?: readonly unknown[]): Promise<unknown>
  release(): unknown
}

export type Row = Readonly<Record<string, unknown>>

/** Runs a statement. Resolves to its rows. */
export type Run = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** How often a change that another statement held up is tried again. */
const everyMs = 200
const lockTimeout = 1205
/** Seconds that a change waits for statements under way: at first, and at last, as slow queries may take longer. */
const [leastWait, mostWait] = [1, 30]

/** Rows of a query, as mysql2 and as mariadb answer. */
export async function rowsOf(
  native: Pick<Native, 'query' | 'promise'>,
  sql: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const answer = (await (native.promise?.() ?? native).query(sql, values)) as readonly unknown[]
  return (Array.isArray(answer[0]) ? answer[0] : answer) as readonly Row[]
}

/**
 * Work on a table that at first waits for others no longer than a second: while it waits for a long transaction, all writes wait
 * for it. It is then done again, so each of its steps may have been done already. Queries without an index take longer than a second,
 * and new ones begin all the time, so each attempt waits twice as long as the last one.
 */
export async function patiently(
  given: Native,
  signal: AbortSignal,
  work: (run: Run) => Promise<void>,
): Promise<void> {
  const native = given.promise?.() ?? given
  const connection = await native.getConnection()
  const run: Run = (sql, values = []) => rowsOf(connection, sql, values)
  try {
    await stoppable(native, run, signal, () => again(work, run, signal))
  } finally {
    await run('SET SESSION lock_wait_timeout = DEFAULT').catch(() => {})
    connection.release()
  }
}

async function again(work: (run: Run) => Promise<void>, run: Run, signal: AbortSignal): Promise<void> {
  for (let wait = leastWait; ; wait = Math.min(2 * wait, mostWait)) {
    signal.throwIfAborted()
    await run(`SET SESSION lock_wait_timeout = ${wait}`)
    try {
      return await work(run)
    } catch (error) {
      if ((error as { readonly errno?: number }).errno !== lockTimeout) throw error
      await pause(everyMs, { signal })
    }
  }
}

/** The statement under way is ended on the server when the signal aborts. */
async function stoppable(
  native: Native,
  run: Run,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const [own] = await run('SELECT CONNECTION_ID() AS id')
  let stopped: Promise<unknown> | undefined
  const stop = (): void => {
    stopped = native.query(`KILL QUERY ${Number(own?.['id'])}`).catch(() => {})
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    await work()
  } finally {
    signal.removeEventListener('abort', stop)
    await stopped
  }
}
