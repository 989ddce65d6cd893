import { type AnyStore, newVersion } from '@unikv/core'
import { copyNotice, within } from '@unikv/core/adapter'
import { clearInterval, setInterval, wallClock } from '@unikv/core/platform'

/** One notice takes no longer. */
const longestMs = 5000

/**
 * Tell others, such as a tuner, that these stores are being read or filled, while work is done. Short work tells nothing, and a store
 * that cannot be written, such as one that is open for reading only, is copied all the same.
 */
export async function noticed<T>(stores: readonly AnyStore[], work: () => Promise<T>): Promise<T> {
  let telling: Promise<unknown> | undefined
  let hasTold = false
  const tell = (): void => {
    hasTold = true
    telling ??= Promise.all(stores.map(renew)).finally(() => {
      telling = undefined
    })
  }
  const timer = setInterval(tell, copyNotice.everyMs)
  timer.unref()
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await telling
    if (hasTold) await Promise.all(stores.map(end))
  }
}

function renew(store: AnyStore): Promise<void> {
  const { capabilities } = store
  const id = newVersion()
  const value = capabilities.documents ? { id } : Buffer.from(id)
  // After a kill it goes by itself, where the store has expiry.
  const expiresAt = capabilities.ttl === false ? undefined : wallClock() + 60_000
  const mutation = { type: 'set', key: copyNotice.key, value, version: newVersion(), expiresAt } as const
  return untold(() => store.write([mutation], within(longestMs)))
}

function end(store: AnyStore): Promise<void> {
  const mutation = { type: 'delete', key: copyNotice.key, version: newVersion() } as const
  return untold(() => store.write([mutation], within(longestMs)))
}

/** Without a notice the owner can still pause a tuner. */
async function untold(write: () => unknown): Promise<void> {
  try {
    await write()
  } catch {
    // The copy itself tells the errors of its stores.
  }
}
