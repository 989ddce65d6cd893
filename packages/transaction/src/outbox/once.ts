import { checkMs } from '@unikv/core/adapter'
import type { TransactionExpiry } from '../run/view.ts'

/** A store inside a transaction that keeps marks. */
export interface MarkView {
  /** As `TransactionView` has it. */
  get(key: string): Promise<unknown>
  /** As `TransactionView` has it. */
  set(key: string, value: never, expiry?: TransactionExpiry): Promise<void>
}

/** Settings of `once`. */
export interface OnceSettings {
  /** How long a message may be handed on again, in milliseconds; `Infinity`: for ever. @default 7 days */
  readonly ttlMs?: number | undefined
}

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
 * @throws {StoreError} `UNSUPPORTED` for a store without expiry, which needs `ttlMs: Infinity`
 */
export async function once(
  marks: MarkView,
  id: string,
  { ttlMs = 7 * 24 * 60 * 60 * 1000 }: OnceSettings = {},
): Promise<boolean> {
  checkMs({ ttlMs }, { code: 'INVALID_ARGUMENT' })
  if ((await marks.get(id)) !== undefined) return false
  await marks.set(id, new Date().toISOString() as never, Number.isFinite(ttlMs) ? { ttlMs } : {})
  return true
}
