import type { Bytes } from '../contract/bytes.ts'
import type { Call } from '../contract/call.ts'
import type { AnyStack } from './any-store.ts'

// A layer that lets records take part in transactions, and databases over KeyValues, know this of each other. So neither package imports the
// other one's parts.

/** Records of one KeyValue of bytes inside of a transaction. */
export interface JointRecords {
  /**
   * The values of keys as they are committed.
   *
   * @throws {StoreError} `CONDITION_FAILED` if the transaction has lost a conflict already
   */
  getMany(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]>
  /** Write a value when the transaction commits. */
  set(key: string, value: Bytes): Promise<void>
}

/** A transaction over records of one KeyValue. It holds nothing before its commit. */
export interface JointTransaction extends JointRecords {
  /** Whether all that was read is of one time. A function that read more may have failed by that. */
  isConsistent(): Promise<boolean>
  /**
   * Make all changes, if everything that was read is still as it was. Resolves to whether it did; `false` is a conflict, and nothing
   * was changed.
   *
   * @throws {StoreError} `OUTCOME_UNKNOWN` if it cannot be told; any other error: nothing was changed
   */
  commit(): Promise<boolean>
}

/** The transactions of one run, an attempt each. */
export interface JointAttempts {
  /** After an attempt that lost a conflict it may wait for others at the same records. */
  begin(): Promise<JointTransaction>
  /** The run is over. */
  end(): void
}

/** Begins a run. */
export type BeginJoint = (call: Call) => JointAttempts

/** A database over the records of a KeyValue that takes part in transactions over several stores, such as one of entities. Their functions get a `View`. */
export interface JointMember<out View = unknown> {
  readonly '~joint': {
    readonly kv: AnyStack
    /** Called once for each run of a transaction. */
    begin(call: Call): JointRun<View>
  }
}

/** The part of a member in one run, with all its attempts. */
export interface JointRun<out View = unknown> {
  /** Begin an attempt over the records of the member's KeyValue. */
  attempt(records: JointRecords): JointAttempt<View>
  /** The run has failed, with this error. It never fails itself. */
  failed(error: unknown): Promise<void>
}

/** The part of a member in one attempt. */
export interface JointAttempt<out View = unknown> {
  readonly view: View
  /** Run a function, inside of which the member refuses calls that go past the transaction. */
  inside<R>(work: () => Promise<R>): Promise<R>
  /** The function has ended: write what it changed to the records. @throws {StoreError} what refuses the commit */
  seal(): Promise<void>
  /** Refuse all calls from now on. */
  end(): void
  /** The attempt took effect. It never fails. */
  committed(): Promise<void>
}
