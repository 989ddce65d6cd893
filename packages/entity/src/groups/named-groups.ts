import type {
  Awaitable,
  Bytes,
  GroupCall,
  GroupEntry,
  GroupKey,
  GroupRange,
  Groups,
  GroupTransaction,
} from '@unikv/core'

/** The groups among those of a store whose names begin with that of a namespace. */
export class NamedGroups implements Groups {
  readonly control: Groups['control']
  readonly maxGroupBytes: number
  readonly holds: boolean | undefined
  readonly #inner: Groups
  readonly #namespace: string

  constructor(inner: Groups, namespace: string) {
    this.#inner = inner
    this.#namespace = namespace
    this.control = inner.control
    this.maxGroupBytes = inner.maxGroupBytes
    this.holds = inner.holds
  }

  begin(group: string, call: GroupCall): Awaitable<GroupTransaction> {
    return this.#inner.begin(this.#namespace + group, call)
  }

  read(keys: readonly GroupKey[], call: GroupCall): Awaitable<readonly (Bytes | undefined)[]> {
    const named = keys.map(({ group, key }) => ({ group: this.#namespace + group, key }))
    return this.#inner.read(named, call)
  }

  list(group: string, range: GroupRange, call: GroupCall): Awaitable<readonly GroupEntry[]> {
    return this.#inner.list(this.#namespace + group, range, call)
  }

  async *names(prefix: string, call: GroupCall): AsyncGenerator<readonly string[]> {
    for await (const page of this.#inner.names(this.#namespace + prefix, call))
      yield page.map((name) => name.slice(this.#namespace.length))
  }

  forget(group: string, before: number, call: GroupCall): Promise<boolean> {
    return this.#inner.forget(this.#namespace + group, before, call)
  }
}
