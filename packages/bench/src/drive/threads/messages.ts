import { existsSync } from 'node:fs'
import { type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import type { IntervalSample } from '../../loop/interval-sample.ts'
import { messageOf } from '../../options/invalid.ts'
import type { ClientPlan } from '../clients.ts'
import type { DriveProgram, ElsewhereOptions } from '../crew.ts'
import type { DriveRequest, DriveSample, LoadPart, LoadSample } from '../driver.ts'
import type { Share } from '../share.ts'

/** Plain data that a thread begins with. */
export interface ThreadData
  extends Pick<ElsewhereOptions, 'opener' | 'namespace' | 'timeoutMs' | 'records' | 'seed'> {
  readonly share: Share
  /** How the callers of all threads together reach the store. */
  readonly plan: ClientPlan
  /** The program of the thread; `undefined`: it does the operations of the workload. */
  readonly program?: Pick<DriveProgram, 'module' | 'options'> | undefined
}

/** Messages to a thread. `load`, `connect` and `drive` are answered by `done` or `failed`; one at a time. */
export type Order =
  | { readonly type: 'load'; readonly part: LoadPart }
  | { readonly type: 'drive'; readonly request: DriveRequest }
  /** Open a connection for each caller of all threads. Answered in the same way. */
  | { readonly type: 'connect'; readonly callers: number }
  /** The first operation may begin. */
  | { readonly type: 'start' }
  /** End what is under way. */
  | { readonly type: 'abort' }
  /** Objects that were asked for, one after the other. */
  | { readonly type: 'objects'; readonly bytes: Uint8Array }
  /** The objects cannot be made. */
  | { readonly type: 'no-objects'; readonly error: ToldError }
  | { readonly type: 'close' }

/** Messages from a thread. */
export type Report =
  | { readonly type: 'done'; readonly answer: unknown }
  | { readonly type: 'failed'; readonly error: ToldError }
  | { readonly type: 'progress'; readonly records: number }
  | { readonly type: 'interval'; readonly interval: IntervalSample }
  /** Prepared: waits for `start`. */
  | { readonly type: 'ready' }
  | { readonly type: 'objects'; readonly size: number; readonly count: number }

/** The answers to orders. */
export interface Answers {
  readonly open: undefined
  readonly load: LoadSample
  readonly drive: DriveSample
  readonly connect: undefined
  readonly close: undefined
}

/** An error that can be sent to another thread. */
export interface ToldError {
  /** `undefined`: it was not a `StoreError`. */
  readonly code: ErrorCode | undefined
  readonly message: string
}

/** An error as data for another thread. */
export function toldError(error: unknown): ToldError {
  return {
    code: isStoreError(error) ? error.code : undefined,
    message: messageOf(error),
  }
}

/** The error that another thread sent. */
export function errorOf({ code, message }: ToldError): Error {
  return code === undefined ? new Error(message) : new StoreError(code, message)
}

/**
 * The program of a thread, which Node runs without help: beside this file, or in the build if this is the source.
 *
 * @param here the URL of this file; in a bundle it is that of the bundle, or there is none (CommonJS)
 * @throws {StoreError} `UNSUPPORTED` if the program is not there
 */
export function threadFile(here: string | null | undefined = import.meta.url): URL {
  if (here === undefined || here === null) throw bundled()
  const file = new URL(here.endsWith('.ts') ? '../../../dist/drive/threads/thread.js' : './thread.js', here)
  if (!existsSync(file)) throw bundled()
  return file
}

function bundled(): StoreError {
  const message =
    'Several threads need the files of @unikv/bench, and this program is a bundle without them. Use one thread, or leave @unikv/bench out of the bundle.'
  return new StoreError('UNSUPPORTED', message)
}
