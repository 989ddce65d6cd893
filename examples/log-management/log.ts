import { z } from 'zod'

/** A line of a log, as the collector sends it: the one entity of the application, without associations. */
export interface Log {
  /** Unique, and begins with the time: `2026-11-30T23:59:59.120Z-0000001`. */
  readonly id: string
  /** A time as `toISOString` writes it. */
  readonly at: string
  readonly host: string
  readonly application: string
  readonly level: 'debug' | 'info' | 'warning' | 'error'
  /** The address that the line is about; empty: none. */
  readonly address: string
  readonly message: string
}
export const Log: z.ZodType<Log> = z
  .strictObject({
    id: z.string(),
    at: z.iso.datetime({ precision: 3 }),
    host: z.string(),
    application: z.string(),
    level: z.enum(['debug', 'info', 'warning', 'error']),
    address: z.string(),
    message: z.string(),
  })
  .refine(({ id, at }) => id.startsWith(`${at}-`), 'id must begin with the time')

/** The logs of all tenants. Each call names its tenant, and sees nothing of the others. */
export interface Logs {
  add(tenant: string, logs: readonly Log[]): Promise<void>
  log(tenant: string, id: string): Promise<Log | undefined>
  /** Replace a log, such as one with a corrected level; whether it was there. */
  correct(tenant: string, log: Log): Promise<boolean>
  /** Whether it was there. */
  remove(tenant: string, id: string): Promise<boolean>
  /** The logs from one time up to another, in the order of time. */
  between(tenant: string, from: string, to: string): Promise<readonly Log[]>
  /** The same, of one address alone. */
  of(tenant: string, address: string, from: string, to: string): Promise<readonly Log[]>
  close(): Promise<void>
}
