import { kindOf, ms, type OptionsOf, readCall, StoreError } from '@unikv/core/adapter'
import type { TransactionExpiry } from '../run/view.ts'

/** A store inside a transaction that keeps marks. */
export interface MarkView {
  /** As `TransactionView` has it. */
  get(key: string): Promise<unknown>
  /** As `TransactionView` has it. */
  set(key: string, value: never, expiry?: TransactionExpiry): Promise<void>
}

const table = {
  /** How long a message may be handed on again, in milliseconds; `Infinity`: for ever. @default 7 days */
  ttlMs: ms(7 * 24 * 60 * 60 * 1_000),
}

/** Settings of `once`. */
export interface OnceSettings extends OptionsOf<typeof table> {}

/** Ids that were asked for, by the stores of attempts: of two calls that are under way together one is the first. */
const asked = new WeakMap<MarkView, Set<string>>()

/**
 * Whether this transaction is the first one with this id. The mark commits with the effect, so a message that is handed on again has no second one.
 *
 * ```ts
 * await db.run(async (tx) => {
 *   if (!(await once(tx.handled, message.id))) return
 *   await tx.accounts.update(message.key, (balance = 0) => balance + message.value.paid)
 * })
 * ```
 *
 * @param marks a store of the transaction that holds text
 * @throws {StoreError} `INVALID_ARGUMENT`; `UNSUPPORTED` for a store without expiry, which needs `ttlMs: Infinity`
 */
export async function once(marks: MarkView, id: string, settings: OnceSettings = {}): Promise<boolean> {
  const { ttlMs } = readCall('once', table, settings)
  checkMarks(marks)
  const ids = asked.get(marks) ?? new Set()
  if (ids.has(id)) return false
  asked.set(marks, ids.add(id))
  if ((await marks.get(id)) !== undefined) return false
  await marks.set(id, new Date().toISOString() as never, Number.isFinite(ttlMs) ? { ttlMs } : {})
  return true
}

/** @throws {StoreError} `INVALID_ARGUMENT` */
function checkMarks(marks: unknown): void {
  const view = Object(marks) as Partial<MarkView>
  if (typeof view.get === 'function' && typeof view.set === 'function') return
  const message = `once() takes a store of the transaction, such as tx.handled; got ${kindOf(marks)}.`
  throw new StoreError('INVALID_ARGUMENT', message, { operation: 'once' })
}
