import type { HttpAttempt } from './http-attempt.ts'

const attemptOf = Symbol('unikv.attempt')

/** What a command asks for, with the attempt that it belongs to. A symbol, so that nobody sends or prints it. */
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

function handOn<A extends { readonly input: Carrier; readonly request: unknown }, R>(
  next: (args: A) => R,
): (args: A) => R {
  return (args) => {
    const request = args.request as { attempt?: HttpAttempt | undefined }
    request.attempt = args.input[attemptOf]
    return next(args)
  }
}
