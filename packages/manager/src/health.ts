import { toStoreError } from '@unikv/core'
import type { Violation } from '@unikv/monitor/recorder'
import type { Opened } from './stack.ts'

/** Whether stores answer. */
export interface Health {
  /** Whether all of them do. */
  readonly isReady: boolean
  readonly stores: { readonly [name: string]: StoreHealth }
  /** Policies of the monitor that do not hold. They do not make a process unready. */
  readonly violations: readonly Violation[]
}

/** Whether a store answers: how long that took, or the code and sentence of the error. */
export type StoreHealth =
  | { readonly isReady: true; readonly tookMs: number }
  | { readonly isReady: false; readonly code: string; readonly message: string }

/** Ask all stores at the same time. */
export async function healthOf(
  opened: readonly Opened[],
  violations: readonly Violation[],
  timeoutMs: number,
): Promise<Health> {
  const found = await Promise.all(
    opened.map(async ({ name, root }) => [name, await asked(root, timeoutMs)] as const),
  )
  return { isReady: found.every(([, { isReady }]) => isReady), stores: Object.fromEntries(found), violations }
}

async function asked(root: Opened['root'], timeoutMs: number): Promise<StoreHealth> {
  try {
    return { isReady: true, tookMs: await root.ping({ timeoutMs }) }
  } catch (error) {
    const { code, message } = toStoreError(error, { operation: 'ping', store: root.name })
    return { isReady: false, code, message }
  }
}
