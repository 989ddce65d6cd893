import { HttpConnections, type HttpSettings } from './connections.ts'

/** The part of a client of the AWS SDK that is used here. */
interface SigningClient {
  readonly middlewareStack: { addRelativeTo(middleware: Middleware, place: object): void }
}

type Middleware = <A extends { readonly request: unknown }, R>(next: (args: A) => R) => (args: A) => R

/** Headers in which the SDK describes itself to Amazon. */
const ofTheSdk = ['amz-sdk-invocation-id', 'amz-sdk-request', 'x-amz-user-agent']

/**
 * Have a client of the AWS SDK leave out, before it signs a request, the headers that no server needs: a third to a half
 * of a small request. A request for the first bytes of an object asks for no checksum either, as only the whole object
 * has one.
 */
export function withFewHeaders<C extends object>(client: C): C {
  const place = { name: 'unikvFewHeaders', relation: 'before', toMiddleware: 'httpSigningMiddleware' }
  ;(client as SigningClient).middlewareStack.addRelativeTo(fewer, place)
  return client
}

function fewer<A extends { readonly request: unknown }, R>(next: (args: A) => R): (args: A) => R {
  return (args) => {
    const { headers } = args.request as { readonly headers: Record<string, string> }
    for (const name of ofTheSdk) delete headers[name]
    if (headers['range'] !== undefined) delete headers['x-amz-checksum-mode']
    headers['user-agent'] = 'unikv'
    return next(args)
  }
}

/** Settings of a store whose client the AWS SDK makes. */
export interface AwsSettings extends HttpSettings {
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly credentials?: unknown
}

/** A client of the AWS SDK that sends each command once, over connections of ours. */
export function awsClient<C extends object>(
  settings: AwsSettings,
  make: (config: object) => C,
): { readonly client: C; readonly connections: HttpConnections } {
  const { endpoint, region, credentials } = settings
  const connections = new HttpConnections(settings)
  const config = {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: 1,
    cacheMiddleware: true,
    requestHandler: connections,
  }
  return { client: withoutWarning(() => make(config)), connections }
}

/** The SDK warns of versions of Node that it will leave behind. That is for code that makes its clients, not for users of ours. */
function withoutWarning<T>(make: () => T): T {
  const { env } = process
  const name = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'
  const before = env[name]
  env[name] = 'true'
  try {
    return make()
  } finally {
    if (before === undefined) delete env[name]
    else env[name] = before
  }
}
