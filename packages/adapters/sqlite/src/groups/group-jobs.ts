import type { Bytes, GroupEntry, GroupKey, GroupRange } from '@unikv/core'
import type { GroupCommit, GroupStep, GroupStepAnswer } from '@unikv/core/adapter'

/** A read of groups, as it goes to the thread that has the file open. Plain data. */
export type GroupRead =
  | { readonly kind: 'step'; readonly step: GroupStep }
  | { readonly kind: 'read'; readonly keys: readonly GroupKey[] }
  | { readonly kind: 'list'; readonly group: string; readonly range: GroupRange }
  | { readonly kind: 'names'; readonly prefix: string; readonly after: string | undefined }

/** A change of a group. Plain data. */
export type GroupWrite =
  | { readonly kind: 'commit'; readonly commit: GroupCommit }
  | { readonly kind: 'forget'; readonly group: string; readonly before: number }

/** Answers by the kind of the read. */
export interface GroupReadAnswer {
  readonly step: GroupStepAnswer | undefined
  readonly read: readonly (Bytes | undefined)[]
  readonly list: readonly GroupEntry[]
  readonly names: readonly string[]
}
