import type { Groups } from '@unikv/core'
import { within } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { SweepReport, SweepSettings } from '../contract/entity-db.ts'
import { textOf } from '../definition/key-parts.ts'
import { outsidePrefix, placeOf } from '../layout/layout.ts'
import { decodeStored } from '../layout/stored-entity.ts'
import type { Known, Types } from '../layout/types.ts'
import type { Transact } from '../transaction/small-transactions.ts'
import { type FoundEntry, listEntries, removeEntries } from './outside-index.ts'

const hourMs = 3_600_000
const pageSize = 500

/** Remove dangling entries of indexes outside of groups, and what is left of groups without records. */
export async function sweepDatabase(
  groups: Groups,
  types: Types,
  transact: Transact,
  { timeoutMs = Number.POSITIVE_INFINITY, signal, olderThanMs = hourMs }: SweepSettings,
): Promise<SweepReport> {
  const sweep = new Sweep(groups, transact, within(timeoutMs, { signal }), wallClock() - olderThanMs)
  for (const known of types.all)
    for (const index of known.layout.outside)
      await sweep.index(known, outsidePrefix(known.layout.type, index.name))
  for (const root of new Set(types.all.map(({ layout }) => layout.type.root)))
    await sweep.forgetEmpty(`e${textOf([root])}`)
  return sweep.report
}

class Sweep {
  readonly report: { entries: number; dangling: number; groups: number } = {
    entries: 0,
    dangling: 0,
    groups: 0,
  }
  readonly #groups: Groups
  readonly #transact: Transact
  readonly #call: ReturnType<typeof within>
  readonly #before: number

  constructor(groups: Groups, transact: Transact, call: ReturnType<typeof within>, before: number) {
    this.#groups = groups
    this.#transact = transact
    this.#call = call
    this.#before = before
  }

  async index(known: Known, prefix: string): Promise<void> {
    for await (const names of this.#groups.names(prefix, this.#call))
      for (const group of names) {
        await this.#entriesOf(known, group)
        await this.#forget(group)
      }
  }

  async forgetEmpty(prefix: string): Promise<void> {
    for await (const names of this.#groups.names(prefix, this.#call))
      for (const group of names) await this.#forget(group)
  }

  async #entriesOf(known: Known, group: string): Promise<void> {
    let after: string | undefined
    do {
      const entries = await listEntries(
        this.#groups,
        known.layout,
        group,
        { after, limit: pageSize },
        this.#call,
      )
      this.report.entries += entries.length
      await this.#removeDangling(
        known,
        group,
        entries.filter(({ madeAt }) => madeAt < this.#before),
      )
      after = entries.length < pageSize ? undefined : entries.at(-1)?.key
    } while (after !== undefined)
  }

  async #removeDangling({ layout }: Known, group: string, old: readonly FoundEntry[]): Promise<void> {
    if (old.length === 0) return
    const stored = await this.#groups.read(
      old.map(({ id }) => placeOf(layout, id)),
      this.#call,
    )
    const dangling = old.filter(({ token }, at) => {
      const bytes = stored[at]
      return bytes === undefined || decodeStored(bytes).token !== token
    })
    await removeEntries(
      this.#transact,
      dangling.map(({ key }) => ({ group, key })),
      this.#call,
    )
    this.report.dangling += dangling.length
  }

  async #forget(group: string): Promise<void> {
    if (await this.#groups.forget(group, this.#before, this.#call)) this.report.groups++
  }
}
