import { type Channel, channel } from 'node:diagnostics_channel'
import type { Operation } from './meter.ts'

/** The message published for a call that was answered by promise. Never holds a key or a value. */
export interface CallMessage {
  /** Name of the store. */
  readonly store: string
  readonly operation: Operation
  /** How many items the call had. */
  readonly items: number
  /** How many of them failed. */
  readonly failed: number
  readonly durationMs: number
}

/** Names of the `node:diagnostics_channel` channels. */
export const channelNames = { read: 'unikv:read', write: 'unikv:write', scan: 'unikv:scan' } as const

const channels: { readonly [verb in keyof typeof channelNames]: Channel } = {
  read: channel(channelNames.read),
  write: channel(channelNames.write),
  scan: channel(channelNames.scan),
}

/** Tell the subscribers, if there are any. */
export function publish(verb: keyof typeof channelNames, message: () => CallMessage): void {
  const to = channels[verb]
  if (to.hasSubscribers) to.publish(message())
}

/** Publish a call that was answered by promise to subscribers. */
export function told(
  store: string,
  { operation }: { readonly operation: Operation },
  outcome: Pick<CallMessage, 'items' | 'failed' | 'durationMs'>,
): void {
  publish(operation === 'read' ? 'read' : 'write', () => ({ store, operation, ...outcome }))
}
