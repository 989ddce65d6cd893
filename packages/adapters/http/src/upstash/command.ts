import type { WriteResult } from '@unikv/core'
import type { NewChange } from '@unikv/core/adapter'
import type { Right } from '../server/access.ts'
import type { Session } from '../server/session.ts'
import type { Argument } from './arguments.ts'

/** `OK`, which is the only text that does not travel as base64. */
export const ok: unique symbol = Symbol('OK')

/** A reply as Redis has it. */
export type Reply = typeof ok | string | Uint8Array | number | null | readonly Reply[]

/** Changes that depend on nothing, so that several commands can take effect together. */
export interface Plan {
  readonly changes: readonly NewChange[]
  readonly reply: (results: readonly WriteResult[]) => Reply
}

/** One command. */
export interface Command {
  /** Fewest and most arguments; without a second number there may be any. */
  readonly arity: readonly [least: number, most?: number]
  readonly right: Right
  readonly run: (session: Session, args: readonly Argument[]) => Promise<Reply>
  /** The command as plain changes; `undefined`: these arguments need more than that. */
  readonly plan?: (session: Session, args: readonly Argument[]) => Promise<Plan | undefined>
}

/** Commands by name, in capitals. */
export type Commands = Readonly<Record<string, Command>>

/** Make the changes of a plan. */
export async function carriedOut(session: Session, { changes, reply }: Plan): Promise<Reply> {
  return reply(await session.write(changes))
}
