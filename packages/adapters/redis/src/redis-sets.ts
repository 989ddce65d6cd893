import type { Bytes, SetMutation, WriteResult } from '@unikv/core'
import { type Argument, encodeCommand, sendEncoded } from './encoded-command.ts'
import type { Driver, EncodedConnection } from './redis-client.ts'
import { scripted } from './redis-commands.ts'
import { translate } from './redis-errors.ts'
import type { Lane } from './redis-read.ts'
import { type Script, setExpiringScript } from './redis-scripts.ts'

type Set = SetMutation<Bytes>

/** The path of nearly every write: sets that one command does, in one piece. Never rejects. */
export function writeSets(
  connection: EncodedConnection,
  driver: Driver,
  sets: readonly Set[],
  lane: Lane,
): Promise<readonly WriteResult[]> {
  const { prefix, format } = lane
  const command = commandOf(sets, prefix)
  const encoded = encodeCommand(command.name, command.args, format)
  return sendEncoded(connection, driver, command, encoded).then(
    () => sets.map((set) => ({ version: format.versionOf(set) })),
    (error: unknown) => sets.map(() => translate(error, true)),
  )
}

/** The one command for sets that are alike: all with expiry, or none. MSET knows no expiry. */
export function commandOf(
  sets: readonly Set[],
  prefix: string,
): { readonly name: string; readonly args: readonly Argument[]; readonly script?: Script } {
  const [first] = sets as readonly [Set]
  const expires = first.expiresAt !== undefined
  const args: Argument[] = []
  if (sets.length > 1 && expires) {
    for (const set of sets) args.push(set, millisecond(set.expiresAt))
    const keys = sets.map(({ key }) => prefix + key)
    return scripted(setExpiringScript, keys, args)
  }
  for (const set of sets) args.push(prefix + set.key, set)
  if (expires) args.push('PXAT', millisecond(first.expiresAt))
  return { name: sets.length === 1 ? 'set' : 'mset', args }
}

/** As the record header has it: whole, and never 0, which Redis refuses. */
export function millisecond(expiresAt: number | 'keep' | undefined): string {
  return typeof expiresAt === 'number' ? String(Math.max(1, Math.floor(expiresAt))) : ''
}
