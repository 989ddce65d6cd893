import type { Bytes } from '../../contract/bytes.ts'
import type {
  GroupCall,
  GroupEntry,
  GroupKey,
  GroupRange,
  Groups,
  GroupTransaction,
} from '../../contract/groups.ts'
import type { CallOptions } from '../../contract/store.ts'

/** The opening of the groups of a store: `Opening`. */
interface OpeningGroups {
  readonly ready: Groups | undefined
  opened(call: CallOptions): Promise<Groups>
}

/** Facts about groups that hold before anything is opened. */
export type GroupFacts = Pick<Groups, 'control' | 'maxGroupBytes' | 'holds'>

/** Groups of a store that opens something before their first use: a table of their own, for example. */
export class OpenedGroups implements Groups {
  readonly control: Groups['control']
  readonly maxGroupBytes: number
  readonly holds: boolean | undefined
  readonly #opening: OpeningGroups

  constructor({ control, maxGroupBytes, holds }: GroupFacts, opening: OpeningGroups) {
    this.control = control
    this.maxGroupBytes = maxGroupBytes
    this.holds = holds
    this.#opening = opening
  }

  async begin(group: string, call: GroupCall): Promise<GroupTransaction> {
    return (await this.#opened(call)).begin(group, call)
  }

  async read(keys: readonly GroupKey[], call: GroupCall): Promise<readonly (Bytes | undefined)[]> {
    return (await this.#opened(call)).read(keys, call)
  }

  async list(group: string, range: GroupRange, call: GroupCall): Promise<readonly GroupEntry[]> {
    return (await this.#opened(call)).list(group, range, call)
  }

  async *names(prefix: string, call: GroupCall): AsyncGenerator<readonly string[]> {
    yield* (await this.#opened(call)).names(prefix, call)
  }

  async forget(group: string, before: number, call: GroupCall): Promise<boolean> {
    return (await this.#opened(call)).forget(group, before, call)
  }

  #opened(call: GroupCall): Groups | Promise<Groups> {
    return this.#opening.ready ?? this.#opening.opened(call)
  }
}
