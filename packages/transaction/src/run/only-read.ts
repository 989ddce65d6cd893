import { isStoreError, newVersion, type ReadResult, type Version } from '@unikv/core'
import { Step } from '../layer/step.ts'
import type { Ending } from '../log/log.ts'
import type { Parts, Share } from './participant.ts'
import { areListedStill } from './scan.ts'

/** A key that was read and not written. */
export interface OnlyRead {
  readonly share: Share
  readonly key: string
  readonly version: Version | undefined
}

/**
 * An absent record has no version: between two looks it may have been there. So several that were only read, and not found, are
 * prepared as deletes, and are absent at one time. One alone is looked at before the others are looked at again.
 */
export function holdAbsent(parts: Parts): void {
  const absent = onlyRead(parts).filter(({ version }) => version === undefined)
  if (absent.length < 2) return
  for (const { share, key } of absent) share.writes.set(key, { type: 'delete', key, version: newVersion() })
}

export function onlyRead({ shares }: Parts): readonly OnlyRead[] {
  return shares.flatMap((share) =>
    [...share.reads]
      // Those of listings are looked at with them.
      .filter(([key]) => !share.writes.has(key) && !share.listings.some(({ found }) => found.has(key)))
      .map(([key, version]) => ({ share, key, version })),
  )
}

/** Whether what was only read is still as it was. One record alone is: it was read at one time. */
export async function isUnchanged(parts: Parts, reads: readonly OnlyRead[], call: Ending): Promise<boolean> {
  const isBranched = parts.branches.some(({ isUsed }) => isUsed)
  const writes = isBranched || parts.shares.some((share) => share.writes.size > 0)
  const listed = parts.shares.some(({ listings }) => listings.length > 0)
  if (reads.length === 1 && !writes && !listed) return true
  const step = writes ? new Step('validate', parts.attempt) : undefined
  const absent = reads.filter(({ version }) => version === undefined)
  const found = reads.filter(({ version }) => version !== undefined)
  if (!(await areStill(parts, absent, step, call))) return false
  const answers = await Promise.all([areStill(parts, found, step, call), areListedStill(parts, call)])
  return !answers.includes(false)
}

async function areStill(
  { attempt }: Parts,
  reads: readonly OnlyRead[],
  step: Step | undefined,
  call: Ending,
): Promise<boolean> {
  const shares = [...new Set(reads.map(({ share }) => share))]
  const answers = await Promise.all(
    shares.map(async (share) => {
      const own = reads.filter((read) => read.share === share)
      const found = await share.participant.read(
        own.map(({ key }) => ({ key, head: true })),
        step,
        call,
      )
      const isSame = own.every(({ version }, i) => isStill(version, found[i]))
      if (!isSame) attempt.lostIn ??= share.participant.name
      return isSame
    }),
  )
  return !answers.includes(false)
}

function isStill(version: Version | undefined, found: ReadResult<unknown>): boolean {
  if (!isStoreError(found)) return found?.version === version
  if (found.code === 'CONDITION_FAILED') return false
  throw found
}
