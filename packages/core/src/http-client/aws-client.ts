import { invalidConfig } from '../adapter/adapter-errors.ts'
import type { HttpAttempt } from './attempt.ts'
import { oddAnswer } from './odd-answer.ts'
import { bodyOf, type HttpResponse } from './response.ts'

const attemptOf = Symbol('unikv.attempt')

/** The request of a command, with its attempt. The key is a symbol, so that it is never sent or printed. */
interface Carrier {
  [attemptOf]?: HttpAttempt
}

/** The part of a client of the AWS SDK that is used here. */
interface AwsClient {
  readonly middlewareStack: { add(middleware: Middleware, place: object): void }
}

type Middleware = <A extends { readonly input: object; readonly request: unknown }, R>(
  next: (args: A) => R,
) => (args: A) => R

/**
 * Have a client of the AWS SDK hand the attempt that a command carries to `HttpConnections`. As an option of `send` it
 * would cost more than all else here: with options the SDK puts its middleware together anew for each command, without
 * them (and with `cacheMiddleware`) once for each class of commands.
 */
export function handsOnAttempts<C extends object>(client: C): C {
  const { middlewareStack } = client as AwsClient
  middlewareStack.add(handOn, { name: 'unikvAttempt', step: 'deserialize', priority: 'low' })
  return client
}

/** Which answers are those of a server. */
export interface Understanding {
  /** The name of the server, for messages. */
  readonly server: string
  /** Whether this is an answer of it. Errors of the server are not asked about. */
  readonly isAnswer: (headers: Readonly<Record<string, string>>, body: Buffer) => boolean
}

/**
 * Have a client of the AWS SDK understand answers to commands that carry an attempt, or refuse them: the SDK takes a page
 * of a proxy for an answer without any field, which would be a miss, or a success.
 */
export function understands<C extends object>(client: C, understanding: Understanding): C {
  const { middlewareStack } = client as AwsClient
  const middleware: Middleware = (next) => (args) => understood(next, args, understanding)
  middlewareStack.add(middleware, { name: 'unikvAnswer', step: 'deserialize', priority: 'low' })
  return client
}

function understood<A extends { readonly input: object; readonly request: unknown }, R>(
  next: (args: A) => R,
  args: A,
  { server, isAnswer }: Understanding,
): R {
  const attempt = (args.input as Carrier)[attemptOf]
  if (attempt === undefined) return next(args)
  const check = async ({ response, ...rest }: { readonly response: HttpResponse }): Promise<unknown> => {
    if (response.statusCode >= 300) return { ...rest, response }
    const body = await bodyOf(response.body)
    if (response.statusCode === 200 && isAnswer(response.headers, body))
      return { ...rest, response: { ...response, body } }
    throw oddAnswer('The endpoint', server, attempt.isWrite)
  }
  return (next(args) as Promise<never>).then(check) as R
}

/** A command that carries this attempt. */
export function carrying<C extends object>(command: C, attempt: HttpAttempt): C {
  const { input } = command as { readonly input: Carrier }
  input[attemptOf] = attempt
  return command
}

/**
 * Send a command of the application, with any middleware of its own: given options, if none but an empty object, the SDK
 * puts its middleware together anew.
 */
export function sendAnew(
  client: { send(...args: never[]): unknown },
  [command, second = {}, ...rest]: readonly unknown[],
): unknown {
  const args = typeof second === 'function' ? [command, {}, second] : [command, second, ...rest]
  return (client.send as (...all: unknown[]) => unknown).apply(client, args)
}

/** The settings that decide how often a client of the AWS SDK sends a command. */
interface Sending {
  readonly config: {
    readonly maxAttempts: () => Promise<number>
    readonly retryStrategy: () => Promise<object>
  }
}

/** Properties of the SDK's strategies that its types do not all declare. */
interface Strategy {
  readonly mode?: string
  readonly maxAttemptsProvider?: () => Promise<number>
}

/**
 * Refuse a client that was handed in and tries again by itself: it would report a won condition as lost, and bring old
 * values back.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export async function checkSendsOnce({ config }: Sending): Promise<void> {
  if ((await config.maxAttempts()) !== 1)
    throw invalidConfig('Create the client with maxAttempts: 1, so that it never sends a write twice.')
  if (await triesOnce(await config.retryStrategy())) return
  throw invalidConfig(
    "Create the client without a retryStrategy and with retryMode: 'standard' (check AWS_RETRY_MODE too), so that it never sends a write twice.",
  )
}

/** A strategy counts attempts itself and ignores the client's setting: only the standard one of the SDK tells how many. */
async function triesOnce(strategy: object): Promise<boolean> {
  const { mode, maxAttemptsProvider } = strategy as Strategy
  return mode === 'standard' && (await maxAttemptsProvider?.call(strategy)) === 1
}

function handOn<A extends { readonly input: Carrier; readonly request: unknown }, R>(
  next: (args: A) => R,
): (args: A) => R {
  return (args) => {
    const request = args.request as { attempt?: HttpAttempt | undefined }
    request.attempt = args.input[attemptOf]
    return next(args)
  }
}
