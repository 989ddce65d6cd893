import { randomBytes } from 'node:crypto'
import type { Bytes, GroupCall, GroupEntry, GroupKey, GroupRange } from '@unikv/core'
import {
  type GroupCommit,
  type GroupStep,
  type GroupStepAnswer,
  isUnchanged,
  type NumberedStore,
} from '@unikv/core/adapter'
import { nextTurn } from '@unikv/core/platform'
import type { LmdbSettings } from '../options.ts'
import { GroupEnvironment } from './group-environment.ts'
import { nameBytes, recordKey } from './group-keys.ts'
import { type NamesPage, namesFrom } from './group-names.ts'
import { changedAtIn, headOf, recordOf } from './group-values.ts'
import { GroupView } from './group-view.ts'
import type { OpenGroups } from './open-groups.ts'

/** Most bytes of a group and a key in it: LMDB takes 1,978, less the ends and the escapes of a name. */
export const maxGroupKeyBytes = 900
const noNames: NamesPage = { names: [], next: undefined }

/** Groups in a database of their own beside that of the dataset: a commit checks and changes in one write transaction. */
export class LmdbGroups implements NumberedStore {
  readonly #environment: GroupEnvironment

  constructor(settings: LmdbSettings) {
    this.#environment = new GroupEnvironment(settings)
  }

  step({ group, keys, range, check }: GroupStep, call: GroupCall): GroupStepAnswer | undefined {
    return this.#environment.reading(
      call,
      { head: { birth: '', commits: 0 }, values: keys.map(() => undefined), entries: [] },
      (opened) => {
        const view = viewOf(opened, group)
        if (check !== undefined && !isUnchanged(check, view)) return undefined
        const values = keys.map((key) => view.valueOf(key))
        return { head: view.head, values, entries: range === undefined ? [] : view.entriesIn(range) }
      },
    )
  }

  commit(commit: GroupCommit, call: GroupCall): Promise<boolean> {
    return this.#environment.writing(
      call,
      commit.changes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0),
      (database) => {
        const view = new GroupView(database, commit.group, undefined)
        if (commit.check !== undefined && !isUnchanged(commit.check, view)) return false
        const birth = view.head.birth || randomBytes(8).toString('hex')
        const commits = view.head.commits + 1
        void database.put(view.start, headOf({ birth, commits }, commit.now))
        for (const { key, value } of commit.changes) {
          const stored = recordKey(view.start, key)
          if (value === undefined) void database.remove(stored)
          else void database.put(stored, recordOf(commits, value))
        }
        return true
      },
    )
  }

  read(keys: readonly GroupKey[], call: GroupCall): readonly (Bytes | undefined)[] {
    const none = keys.map(() => undefined)
    return this.#environment.reading<readonly (Bytes | undefined)[]>(call, none, (opened) =>
      keys.map(({ group, key }) => viewOf(opened, group).valueOf(key)),
    )
  }

  list(group: string, range: GroupRange, call: GroupCall): readonly GroupEntry[] {
    return this.#environment.reading<readonly GroupEntry[]>(call, [], (opened) =>
      viewOf(opened, group).entriesIn(range),
    )
  }

  async *names(prefix: string, call: GroupCall): AsyncGenerator<readonly string[]> {
    let from: Buffer | undefined = nameBytes(prefix)
    while (from !== undefined) {
      const start: Buffer = from
      const page = this.#environment.reading(call, noNames, (opened) => namesFrom(opened, start, prefix))
      if (page.names.length > 0) yield page.names
      from = page.next
      await nextTurn()
    }
  }

  async forget(group: string, before: number, call: GroupCall): Promise<boolean> {
    // A database is not made to remove something from it.
    if (!this.#environment.reading(call, false, () => true)) return false
    return this.#environment.writing(call, 0, (database) => {
      const view = new GroupView(database, group, undefined)
      if (view.storedHead === undefined || !view.isEmpty || changedAtIn(view.storedHead) >= before)
        return false
      void database.remove(view.start)
      return true
    })
  }

  close(): Promise<void> {
    return this.#environment.close()
  }
}

function viewOf({ database, environment }: OpenGroups, group: string): GroupView {
  return new GroupView(database, group, environment.snapshot)
}
