import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { OperationName } from '../../operations/mix.ts'
import { wrong } from '../../study/faults.ts'
import { loadTrace, type Trace } from '../../trace/trace.ts'
import type { TraceFacts } from './config.ts'

/** Which requests of which file. */
export type TraceSource = Pick<TraceFacts, 'file' | 'columns' | 'limit' | 'defaultSize'>

/** The trace that was loaded last: a configuration tells what it holds, and its runs need it again. */
let last: { readonly source: string; readonly trace: Promise<Trace> } | undefined

/**
 * The requests of a trace, loaded once.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the line that cannot be read
 */
export async function traceOf({ file, columns, limit, defaultSize }: TraceSource): Promise<Trace> {
  const source = JSON.stringify([file, columns, limit, defaultSize, await versionOf(file)])
  if (last?.source === source) return last.trace
  const trace = loadTrace(file, { columns: columns ?? undefined, limit: limit ?? undefined, defaultSize })
  last = { source, trace }
  trace.catch(() => {
    last = undefined
  })
  return trace
}

/**
 * The requests that a configuration tells of.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the file has changed since
 */
export async function configuredTrace(facts: TraceFacts): Promise<Trace> {
  const trace = await traceOf(facts)
  if (digestOf(trace) === facts.sha256) return trace
  throw wrong(`The trace ${facts.file} has changed since it was read. Start again.`)
}

/** Differs when a file was written to; a file that is not there is refused when it is read. */
async function versionOf(file: string): Promise<string> {
  const found = file === '-' ? undefined : await stat(file, { bigint: true }).catch(() => undefined)
  // A pipe is read once.
  return found?.isFile() !== true ? '' : `${found.ino} ${found.size} ${found.mtimeNs}`
}

/** The facts of a trace that its result tells. */
export function factsOf(source: TraceSource, trace: Trace): TraceFacts {
  const mix: Partial<Record<OperationName, number>> = {}
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (const operation of trace.operations) mix[operation] = (mix[operation] ?? 0) + 1
  for (const size of trace.sizes) [least, most] = [Math.min(least, size), Math.max(most, size)]
  const { columns, file, limit, defaultSize } = source
  return {
    file,
    columns,
    limit,
    defaultSize,
    requests: trace.operations.length,
    keys: trace.keys.length,
    mix,
    sizes: [least, most],
    lengthMs: trace.atMs?.at(-1) ?? null,
    startRecords: trace.start.length,
    sha256: digestOf(trace),
  }
}

/** Equal for equal requests, however their file is written. */
function digestOf({ operations, keys, keyOf, sizes, atMs }: Trace): string {
  const hash = createHash('sha256')
  for (const [index, operation] of operations.entries()) {
    const key = keys[keyOf[index] as number]
    hash.update(`${JSON.stringify([atMs?.[index] ?? null, operation, key, sizes[index]])}\n`)
  }
  return hash.digest('hex')
}
