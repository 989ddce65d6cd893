import { isStoreError, type Mutation, type ReadResult, type Version } from '@unikv/core'
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
