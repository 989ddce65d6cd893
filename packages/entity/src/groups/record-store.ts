import type {
  Bytes,
  CallSettings,
  Capabilities,
  Entry,
  GroupCall,
  KeyValue,
  ScanCapability,
  Version,
} from '@unikv/core'
import { corrupt, isStoreError, leftMs, StoreError } from '@unikv/core/adapter'
import { decodeGroup, type GroupRecord } from './group-record.ts'

/** A group as it was found. */
export interface FoundGroup {
  readonly record: GroupRecord
  readonly version: Version
}

/** The part of a KeyValue that groups of records are kept in. */
export type GroupKeyValue = Pick<
  KeyValue<string, Bytes>,
  'name' | 'capabilities' | 'getEntry' | 'getMany' | 'set' | 'delete'
>

/** Its type where it is used: conditions were checked, and a listing is asked for only where there is one. */
type Conditional = KeyValue<
  string,
  Bytes,
  Omit<Capabilities, 'conditionalWrite' | 'scan'> & {
    readonly conditionalWrite: true
    readonly scan: ScanCapability
  }
>

/** The KeyValue that holds groups, with every call at its strongest level and within the time that is left. */
export class RecordStore {
  readonly #kv: Conditional
  readonly #consistency: string | undefined

  constructor(kv: GroupKeyValue) {
    this.#kv = kv as Conditional
    this.#consistency = kv.capabilities.consistency.includes('strong') ? 'strong' : undefined
  }

  get name(): string {
    return this.#kv.name
  }

  /** Longest record in bytes. */
  get maxValueBytes(): number {
    return this.#kv.capabilities.maxValueBytes
  }

  async read(group: string, call: GroupCall): Promise<FoundGroup | undefined> {
    const entry = await this.#kv.getEntry(group, this.#settings(call, true))
    return entry === undefined ? undefined : foundOf(entry, group)
  }

  async readMany(groups: readonly string[], call: GroupCall): Promise<readonly (GroupRecord | undefined)[]> {
    if (groups.length === 1) return [(await this.read(groups[0] as string, call))?.record]
    const values = await this.#kv.getMany(groups, this.#settings(call, true))
    return values.map((value, at) =>
      value === undefined ? undefined : decodeGroup(value, groups[at] as string),
    )
  }

  /** Resolves to whether the group was as it was found. */
  async replace(
    group: string,
    bytes: Bytes,
    found: FoundGroup | undefined,
    call: GroupCall,
  ): Promise<boolean> {
    try {
      await this.#kv.set(group, bytes, { ...this.#settings(call, false), ifVersion: found?.version ?? null })
      return true
    } catch (error) {
      if (isStoreError(error) && error.code === 'CONDITION_FAILED') return false
      throw error
    }
  }

  /** Resolves to whether the group was as it was found. */
  async remove(group: string, { version }: FoundGroup, call: GroupCall): Promise<boolean> {
    try {
      await this.#kv.delete(group, { ...this.#settings(call, false), ifVersion: version })
      return true
    } catch (error) {
      if (isStoreError(error) && error.code === 'CONDITION_FAILED') return false
      throw error
    }
  }

  async *names(prefix: string, call: GroupCall): AsyncGenerator<readonly string[]> {
    if ((this.#kv.capabilities.scan as unknown) === false)
      throw new StoreError(
        'UNSUPPORTED',
        `${this.#kv.name} cannot list its keys, so its groups can be neither swept nor looked through.`,
      )
    const keys = this.#kv.keys({ prefix, ...this.#settings(call, false) })
    for await (const page of keys.pages()) yield page.items
  }

  #settings(call: GroupCall, isRead: boolean): CallSettings {
    const left = leftMs(call)
    if (left <= 0) throw new StoreError('TIMEOUT', 'The time of the transaction was over.')
    return {
      ...(Number.isFinite(left) && { timeoutMs: left }),
      signal: call.signal,
      ...(isRead && this.#consistency !== undefined && { consistency: this.#consistency }),
    }
  }
}

function foundOf({ value, version }: Entry<Bytes>, group: string): FoundGroup {
  if (version === undefined) throw corrupt('The record of a group', 'has no version')
  return { record: decodeGroup(value, group), version }
}
