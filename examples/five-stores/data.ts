import { z } from 'zod'

/** A user. */
export interface User {
  readonly mail: string
  readonly since: string
}
export const User: z.ZodType<User> = z.object({ mail: z.string(), since: z.string() })

/** The data of the web back end. */
export interface Data {
  /** Whether the user was added: not if the name is taken. */
  addUser(name: string, user: User): Promise<boolean>
  user(name: string): Promise<User | undefined>
  /** Whether there is such a user. */
  changeMail(name: string, mail: string): Promise<boolean>
  /** The session ends by itself after half an hour. */
  startSession(id: string, name: string): Promise<void>
  /** The name of the user. */
  session(id: string): Promise<string | undefined>
  endSession(id: string): Promise<void>
  /** How often the page was visited, with this visit. */
  countVisit(page: string): Promise<number>
  visits(): Promise<Record<string, number>>
  close(): Promise<void>
}

/** How long a session lasts, in milliseconds. */
export const sessionMs: number = 1_800_000
