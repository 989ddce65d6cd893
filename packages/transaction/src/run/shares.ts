import { isStoreError, type Mutation, type ReadResult, StoreError, type Version } from '@unikv/core'
import { type Attempt, Step } from '../layer/step.ts'
import type { Ending } from '../log/log.ts'
import type { Parts, Share } from './participant.ts'

/** The changes of a share in the order of their keys, each on the condition that its record is as it was read. */
export function changesOf({ reads, writes }: Pick<Share, 'reads' | 'writes'>): readonly Mutation<unknown>[] {
  return [...writes.values()]
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map((mutation) =>
      reads.has(mutation.key) ? { ...mutation, ifVersion: reads.get(mutation.key) ?? null } : mutation,
    )
}

/** Read what is written and was not read: once records are held, none may be waited for. Resolves to the versions of all records of the share. */
export async function look(
  attempt: Attempt,
  { participant, reads, writes }: Share,
  call: Ending,
): Promise<ReadonlyMap<string, Version | undefined>> {
  const keys = [...writes.keys()].filter((key) => !reads.has(key))
  if (keys.length === 0) return reads
  const found = await participant.read(
    keys.map((key) => ({ key })),
    new Step('read', attempt),
    call,
  )
  const failed = found.find((result) => isStoreError(result))
  if (failed !== undefined) throw failed
  return new Map([...reads, ...keys.map((key, i) => [key, versionOf(found[i])] as const)])
}

/**
 * Views of one store may have a record in common. Each would stand in the way of the other one.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a record that was changed through one of them, and used through another
 */
export function refuseTwice({ shares }: Parts): void {
  for (const share of shares)
    for (const other of shares) {
      if (share === other || !share.participant.isBeside(other.participant)) continue
      const key = [...share.writes.keys()].find((name) => other.writes.has(name) || other.reads.has(name))
      if (key === undefined) continue
      const names = `"${share.participant.name}" and "${other.participant.name}"`
      const message = `One record was used as a record of ${names}, which are views of one store. Use one of them.`
      throw new StoreError('INVALID_ARGUMENT', message, { operation: 'run', key })
    }
}

/** The version of what was found; `undefined`: nothing. */
export function versionOf(found: ReadResult<unknown>): Version | undefined {
  return found === undefined || isStoreError(found) ? undefined : found.version
}

/** Caches of this process must not answer with what was there before. */
export async function forget({ attempt, shares }: Parts): Promise<void> {
  const cached = shares.filter(({ participant, writes }) => participant.hasCache && writes.size > 0)
  const step = new Step('forget', attempt)
  const never = { deadlineAt: Number.POSITIVE_INFINITY, signal: undefined }
  await Promise.all(
    cached.map(({ participant, writes }) =>
      participant.write([...writes.values()], step, never).catch(() => {}),
    ),
  )
}
