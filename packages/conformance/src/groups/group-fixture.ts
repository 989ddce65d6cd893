import {
  type Bytes,
  type GroupCall,
  type GroupChange,
  type GroupEntry,
  type GroupRange,
  type Groups,
  type GroupTransaction,
  isStoreError,
} from '@unikv/core'
import { defaultPatienceMs } from '../patience.ts'
import { type Random, random } from '../random.ts'
import { within } from '../within.ts'
import type { GroupOptions, OpenedGroupStore } from './group-options.ts'

/** One test of groups. */
export interface GroupCase {
  readonly title: string
  readonly run: (t: GroupFixture) => Promise<void>
}

/** Cases about one part of the contract. */
export interface GroupTopic {
  readonly title: string
  readonly cases: readonly GroupCase[]
}

/** The fixture of one case: groups over an empty dataset. */
export interface GroupFixture {
  readonly groups: Groups
  /** Others over the same dataset. */
  readonly others: Groups
  /** How long a condition is waited for, in milliseconds. */
  readonly patienceMs: number
  readonly rounds: number
  readonly random: Random
  readonly maxKeyBytes: number
  /** A call that ends after so many milliseconds. @default patienceMs */
  readonly call: (timeoutMs?: number, signal?: AbortSignal) => GroupCall
  readonly end: () => Promise<void>
}

/** Everything of a group. */
export const everything: GroupRange = { prefix: '', limit: 10_000 }

/** Open what a case needs. */
export async function openGroups(options: GroupOptions): Promise<GroupFixture> {
  const { patienceMs = defaultPatienceMs } = options
  const opened: OpenedGroupStore = await options.open()
  const others = (await options.reopen?.(opened)) ?? opened
  return {
    groups: opened.groups,
    others: others.groups,
    patienceMs,
    rounds: options.rounds ?? 12,
    random: random(options.seed ?? 1),
    maxKeyBytes: options.maxKeyBytes ?? 180,
    call: (timeoutMs = patienceMs, signal) => ({ deadlineAt: performance.now() + timeoutMs, signal }),
    end: () =>
      within(
        patienceMs,
        'To close the stores',
        Promise.all([opened.close(), others === opened ? undefined : others.close()]),
      ),
  }
}

/** Bytes of a text. */
export function bytesOf(text: string): Bytes {
  return new TextEncoder().encode(text)
}

/** The text of bytes. */
export function textOf(bytes: Bytes | undefined): string | undefined {
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

/** A change to a text; `undefined` removes the key. */
export function change(key: string, text: string | undefined): GroupChange {
  return { key, value: text === undefined ? undefined : bytesOf(text) }
}

/** Keys and texts of entries. */
export function textsOf(entries: readonly GroupEntry[]): readonly (readonly [string, string | undefined])[] {
  return entries.map(({ key, value }) => [key, textOf(value)])
}

/** The committed texts of a group. */
export async function committed(
  { groups, call }: Pick<GroupFixture, 'groups' | 'call'>,
  group: string,
): Promise<Readonly<Record<string, string | undefined>>> {
  return Object.fromEntries(textsOf(await groups.list(group, everything, call())))
}

/** The work of a transaction: it reads, and answers with its changes. */
export type Work = (tx: GroupTransaction) => Promise<readonly GroupChange[]>

/** One attempt of a transaction: whether it was committed. Everything but a lost conflict is thrown. */
export async function attempt(groups: Groups, group: string, call: GroupCall, work: Work): Promise<boolean> {
  const tx = await groups.begin(group, call)
  let changes: readonly GroupChange[]
  try {
    changes = await work(tx)
  } catch (error) {
    await tx.rollback()
    if (isLost(error)) return false
    throw error
  }
  return tx.commit(changes)
}

/** Attempts until one is committed. */
export async function until(t: GroupFixture, groups: Groups, group: string, work: Work): Promise<void> {
  const call = t.call()
  while (!(await attempt(groups, group, call, work))) await breath(t.random.below(8))
}

/** Set texts in a transaction that must be committed. */
export async function put(
  t: GroupFixture,
  group: string,
  texts: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  await until(t, t.groups, group, async () => Object.entries(texts).map(([key, text]) => change(key, text)))
}

/** Whether a transaction has lost a conflict. */
export function isLost(error: unknown): boolean {
  return isStoreError(error) && error.code === 'CONDITION_FAILED'
}

/** A moment for others. */
export function breath(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
