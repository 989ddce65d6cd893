import type { Bytes, GroupKey } from '@unikv/core'
import { isStoreError, type JointTransaction } from '@unikv/core/adapter'
import type { JointGroups } from '../groups/joint-groups.ts'
import { Workspace } from './workspace.ts'

/** The groups that a transaction is on, with their records as it sees them. */
export interface Spaces {
  /** Whether a read has met a conflict. */
  readonly hasLost: boolean
  /** Whether something would have to be let go for work elsewhere. */
  readonly holds: boolean
  /** Whether more groups can join. */
  readonly canJoin: boolean
  has(group: string): boolean
  /** The records of groups that it is on, in their order; those that were not read yet are read together. */
  of(groups: readonly string[]): Promise<readonly Workspace[]>
  /** From now on it is on this group, too. */
  join(group: string): void
  /** Do work while nothing is held, as `Workspace.aside`. */
  aside<T>(work: () => Promise<T>): Promise<T>
  /** Whether all that was read is of one time, so that an error of the function is one. */
  isConsistent(): Promise<boolean>
  /** Make all changes. Resolves to whether they took effect. */
  commit(): Promise<boolean>
  rollback(): Promise<void>
}

/** The records of one group alone. */
export class OneGroup implements Spaces {
  readonly canJoin = false
  readonly #group: string
  readonly #space: Workspace

  constructor(group: string, space: Workspace) {
    this.#group = group
    this.#space = space
  }

  get hasLost(): boolean {
    return this.#space.hasLost
  }

  get holds(): boolean {
    return this.#space.holds
  }

  has(group: string): boolean {
    return group === this.#group
  }

  async of(groups: readonly string[]): Promise<readonly Workspace[]> {
    return groups.map(() => this.#space)
  }

  join(): void {}

  aside<T>(work: () => Promise<T>): Promise<T> {
    return this.#space.aside(work)
  }

  async isConsistent(): Promise<boolean> {
    return true
  }

  commit(): Promise<boolean> {
    return this.#space.commit(this.#space.changes)
  }

  rollback(): Promise<void> {
    return this.#space.rollback()
  }
}

/** The records of several groups, which change together by one transaction over records. */
export class SeveralGroups implements Spaces {
  readonly canJoin = true
  readonly holds = false
  readonly #groups: JointGroups
  /** `undefined`: any group. */
  readonly #named: Set<string> | undefined
  /** `undefined`: it is decided elsewhere, together with other records. */
  readonly #transaction: JointTransaction | undefined
  readonly #spaces: Map<string, Promise<Workspace>> = new Map()
  readonly #opened: Workspace[] = []
  #hasLost = false

  constructor(groups: JointGroups, named?: readonly string[], transaction?: JointTransaction) {
    this.#groups = groups
    this.#named = named && new Set(named)
    this.#transaction = transaction
  }

  get hasLost(): boolean {
    return this.#hasLost || this.#opened.some((space) => space.hasLost)
  }

  has(group: string): boolean {
    return this.#named?.has(group) ?? true
  }

  async of(groups: readonly string[]): Promise<readonly Workspace[]> {
    const unread = groups.filter((group) => !this.#spaces.has(group))
    if (unread.length > 0) this.#read(unread)
    return Promise.all(groups.map((group) => this.#spaces.get(group) as Promise<Workspace>))
  }

  join(group: string): void {
    this.#named?.add(group)
  }

  aside<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  async isConsistent(): Promise<boolean> {
    return this.#transaction?.isConsistent() ?? true
  }

  async commit(): Promise<boolean> {
    await this.hand()
    return this.#transaction?.commit() ?? true
  }

  /** Hand the changed groups to the transaction. */
  async hand(): Promise<void> {
    for (const space of this.#opened) await space.commit(space.changes)
  }

  async rollback(): Promise<void> {}

  /** One promise for each group: those that ask at once for a group get one space. */
  #read(groups: readonly string[]): void {
    const begun = this.#groups.begin(groups).catch((error: unknown) => {
      this.#hasLost ||= isStoreError(error) && error.code === 'CONDITION_FAILED'
      throw error
    })
    for (const [at, group] of groups.entries())
      this.#spaces.set(
        group,
        begun.then((transactions) => {
          const space = Workspace.over(transactions[at] as (typeof transactions)[number])
          this.#opened.push(space)
          return space
        }),
      )
  }
}

/** The values of these keys, in their order. */
export async function valuesAt(
  spaces: Spaces,
  places: readonly GroupKey[],
): Promise<readonly (Bytes | undefined)[]> {
  const groups = [...new Set(places.map(({ group }) => group))]
  const opened = await spaces.of(groups)
  const values = new Map<GroupKey, Bytes | undefined>()
  const read = async (group: string, space: Workspace): Promise<void> => {
    const own = places.filter((place) => place.group === group)
    const found = await space.getMany(own.map(({ key }) => key))
    for (const [at, place] of own.entries()) values.set(place, found[at])
  }
  await Promise.all(groups.map((group, at) => read(group, opened[at] as Workspace)))
  return places.map((place) => values.get(place))
}
