import { type Channel, channel } from 'node:diagnostics_channel'
import type { Operation } from '../operation.ts'

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
export const channelNames = {
  read: 'unikv:read',
  write: 'unikv:write',
  scan: 'unikv:scan',
  native: 'unikv:native',
} as const

const channels: { readonly [verb in keyof typeof channelNames]: Channel } = {
  read: channel(channelNames.read),
  write: channel(channelNames.write),
  scan: channel(channelNames.scan),
  native: channel(channelNames.native),
}

/** Transactions have none: their calls are published. */
const verbs: { readonly [operation in Operation]?: keyof typeof channelNames } = {
  read: 'read',
  set: 'write',
  delete: 'write',
  touch: 'write',
  increment: 'write',
  scan: 'scan',
  native: 'native',
}

/** Tell the subscribers of an operation, if there are any. */
export function publish(operation: Operation, message: () => CallMessage): void {
  const verb = verbs[operation]
  const to = verb && channels[verb]
  if (to?.hasSubscribers === true) to.publish(message())
}
