import type { Groups } from '@unikv/core'
import {
  type BeginJoint,
  type Call,
  type JointAttempt,
  type JointMember,
  type JointRecords,
  type JointRun,
  jointRecords,
  layersOf,
  lostConflict,
  StoreError,
} from '@unikv/core/adapter'
import type { EntityTransaction } from '../contract/entity-db.ts'
import { JointGroups } from '../groups/joint-groups.ts'
import { RecordGroups } from '../groups/record-groups.ts'
import type { GroupKeyValue } from '../groups/record-store.ts'
import { SeveralGroups, type Spaces } from '../runs/spaces.ts'
import { Attempt, type Opening, type RunParts, RunScope } from '../transaction/group-run.ts'

/** Transactions over several groups: each is a record, and the layer next to the store has transactions over records. */
export class Joint {
  readonly #kv: GroupKeyValue
  readonly #groups: Groups
  readonly #parts: RunParts
  #begin: BeginJoint | undefined

  constructor(kv: GroupKeyValue, groups: Groups, parts: RunParts) {
    this.#kv = kv
    this.#groups = groups
    this.#parts = parts
  }

  /**
   * Begins attempts on these groups, which are read together.
   *
   * @throws {StoreError} `UNSUPPORTED` for native groups, and for records that take no part in transactions
   */
  on(groups: readonly string[], call: Call): Opening {
    const names = [...new Set(groups)]
    const attempts = (this.#begin ??= this.#beginning())(call)
    const open = async (): Promise<Spaces> => {
      const transaction = await attempts.begin()
      const spaces = new SeveralGroups(this.#over(transaction), names, transaction)
      await spaces.of(names)
      return spaces
    }
    return { open, end: () => attempts.end() }
  }

  /** The part of the database in transactions over several stores. */
  get member(): JointMember<EntityTransaction>['~joint'] {
    return {
      kv: this.#kv,
      begin: (call) => new MemberRun(new RunScope(this.#parts, call), (records) => this.#over(records)),
    }
  }

  #over(records: JointRecords): JointGroups {
    const { name, capabilities } = this.#kv
    return new JointGroups({ name, maxValueBytes: capabilities.maxValueBytes }, records)
  }

  #beginning(): BeginJoint {
    if (!(this.#groups instanceof RecordGroups))
      throw unsupported('native transactions are on one group each. Use `transactions: "records"` and')
    const [joint] = layersOf(this.#kv).flatMap(({ layer }) => jointRecords.of(layer.plan.facts) ?? [])
    if (joint === undefined) throw unsupported('its KeyValue takes no part in transactions over records. Put')
    return joint(this.#kv)
  }
}

function unsupported(why: string): StoreError {
  const message = `run() over a list of groups cannot be used with this database: ${why} the layer transactional({ log }) of @unikv/transaction next to the store.`
  return new StoreError('UNSUPPORTED', message, { operation: 'run' })
}

/** The part of the database in one run of a transaction over several stores. It is on every group that its function names. */
class MemberRun implements JointRun<EntityTransaction> {
  readonly #scope: RunScope
  readonly #over: (records: JointRecords) => JointGroups

  constructor(scope: RunScope, over: (records: JointRecords) => JointGroups) {
    this.#scope = scope
    this.#over = over
  }

  attempt(records: JointRecords): JointAttempt<EntityTransaction> {
    const spaces = new SeveralGroups(this.#over(records))
    const attempt = new Attempt(this.#scope, spaces)
    return {
      view: attempt.tx as unknown as EntityTransaction,
      inside: (work) => this.#scope.parts.runner.inside(work),
      async seal() {
        await attempt.seal()
        if (spaces.hasLost) throw lostConflict()
        await spaces.hand()
      },
      end: () => void attempt.tx.end(),
      committed: () => attempt.committed(),
    }
  }

  failed(error: unknown): Promise<void> {
    return this.#scope.failed(error)
  }
}
