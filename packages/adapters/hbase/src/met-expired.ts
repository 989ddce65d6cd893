import { callOptions } from '@unikv/core/adapter'
import { performance, wallClock } from '@unikv/core/platform'
import { base64, type Found } from './client/cells.ts'
import type { Dataset } from './dataset.ts'

/**
 * How old what is left of a record must be before its row is deleted. A deletion hides cells up to a time, that of the
 * old header: far in the past, so that clocks may differ by minutes and it never hides what is written now.
 */
const restMs = 600_000
/** Most rows that wait for their removal; what is met beyond is met again. */
const mostWaiting = 256
const timeoutMs = 10_000

/** Removes rows that reads and listings met and that hold nothing any more: what deletions left, expired records. */
export class MetExpired {
  readonly #dataset: () => Dataset
  readonly #waiting = new Map<string, Found>()
  #running: Promise<void> | undefined
  #stopped = false

  /** `dataset` is asked for once there is something to remove. */
  constructor(dataset: () => Dataset) {
    this.#dataset = dataset
  }

  /** This row was met. Absent ones and fresh ones are left alone. */
  met(key: string, found: Found): void {
    if (this.#stopped || found.writtenAt === 0 || this.#waiting.size === mostWaiting) return
    if (wallClock() - found.writtenAt < restMs) return
    this.#waiting.set(key, found)
    this.#running ??= this.#remove().finally(() => {
      this.#running = undefined
    })
  }

  /** Begin nothing more. Resolves when the removal under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#waiting.clear()
    await this.#running
  }

  /** One after another. Errors are ignored: the rows will be met again. */
  async #remove(): Promise<void> {
    const dataset = this.#dataset()
    for (const [key, found] of this.#waiting) {
      this.#waiting.delete(key)
      await removeRow(dataset, key, found).catch(() => {})
    }
  }
}

/** Delete a row up to the time of its header, if that header is still the same. */
async function removeRow(
  { gateway, columns, family, rowOf }: Dataset,
  key: string,
  { header, writtenAt }: Found,
): Promise<void> {
  const call = callOptions({ deadlineAt: performance.now() + timeoutMs })
  const Cell = [
    { column: base64(family), timestamp: writtenAt },
    { column: columns.header, $: base64(header) },
  ]
  await gateway.ask(call, {
    method: 'PUT',
    path: '/row?check=delete',
    body: { Row: [{ key: rowOf(key).toString('base64'), Cell }] },
    isWrite: true,
    expected: [200, 304],
  })
}
