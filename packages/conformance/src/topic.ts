import type { Capabilities } from '@unikv/core'
import type { Fixture } from './fixture.ts'

/** Cases about one part of the contract. */
export interface Topic {
  readonly title: string
  readonly cases: readonly Case[]
}

/** One test: a sentence about behaviour, and what shows it. */
export interface Case {
  readonly title: string
  /** All must hold, or the case does not concern this store. */
  readonly needs?: readonly Need[] | undefined
  readonly run: (fixture: Fixture) => Promise<void>
}

/** Whether a case concerns a store. */
export type Need = (setting: Setting) => boolean

/** Cases are chosen by it: the declared capabilities, and which hooks were given. */
export interface Setting {
  readonly capabilities: Capabilities
  /** Values are bytes. */
  readonly bytes: boolean
  readonly clock: boolean
  readonly reopen: boolean
  readonly corrupt: boolean
  /** Records have a version. */
  readonly versions: boolean
  /** A result belongs to its reader. */
  readonly ownResults: boolean
}

export const bytes: Need = (setting) => setting.bytes
export const clock: Need = (setting) => setting.clock
export const reopen: Need = (setting) => setting.reopen
export const corrupt: Need = (setting) => setting.corrupt
export const versions: Need = (setting) => setting.versions
export const ownResults: Need = (setting) => setting.ownResults

export const scan: Need = ({ capabilities }) => capabilities.scan !== false
export const listsOnce: Need = ({ capabilities }) =>
  capabilities.scan !== false && capabilities.scan.delivery === 'once'
export const ordered: Need = ({ capabilities }) =>
  capabilities.scan !== false && capabilities.scan.order === 'bytes'
export const conditionalWrite: Need = ({ capabilities }) => capabilities.conditionalWrite
export const conditionalRead: Need = ({ capabilities }) => capabilities.conditionalRead
export const ttl: Need = ({ capabilities }) => capabilities.ttl !== false
export const touch: Need = ({ capabilities }) => capabilities.touch
export const increment: Need = ({ capabilities }) => capabilities.increment
export const existed: Need = ({ capabilities }) => capabilities.existed === true
export const reverse: Need = ({ capabilities }) =>
  capabilities.scan !== false && capabilities.scan.reverse === true
export const finds: Need = ({ capabilities }) => capabilities.find === true
export const atomic: Need = ({ capabilities }) => capabilities.batch.atomicity === 'all'

/** The opposite. */
export function not(need: Need): Need {
  return (setting) => !need(setting)
}

/** Whether a case concerns the store of this setting. */
export function concerns(setting: Setting, { needs = [] }: Case): boolean {
  return needs.every((need) => need(setting))
}
