import { type CallOptions, StoreError } from '@unikv/core'
import type { HttpAnswer, HttpClient } from '@unikv/core/http-client'
import { wallClock } from '@unikv/core/platform'
import { statusError } from '../errors.ts'
import type { SwiftSettings, SwiftV1Auth, SwiftV3Auth } from '../options.ts'

/** Where the account is, and what opens it. */
export interface Session {
  readonly storageUrl: URL
  readonly token: string
  /** When the token ends, by our clock, in milliseconds since the epoch. */
  readonly endsAt: number
}

/** A token, and where it says that the account is, if that is asked for. */
interface Issued {
  readonly token: string
  readonly endsAt: number
  readonly address: () => URL
}

/** Life of tokens that do not tell it. */
const unknownLifeMs = 3_600_000

/**
 * Get a token.
 *
 * @throws {StoreError} `ACCESS_DENIED`, `UNAVAILABLE`, `INVALID_CONFIG` if the catalog has no object store
 */
export async function signIn(http: HttpClient, settings: SwiftSettings, call: CallOptions): Promise<Session> {
  const { auth, authUrl, storageUrl } = settings
  const issued =
    'v1' in auth ? await signInV1(http, authUrl, auth.v1, call) : await signInV3(http, authUrl, auth.v3, call)
  const { token, endsAt } = issued
  return { token, endsAt, storageUrl: storageUrl ?? issued.address() }
}

async function signInV1(http: HttpClient, url: URL, auth: SwiftV1Auth, call: CallOptions): Promise<Issued> {
  const headers = { 'x-auth-user': auth.user, 'x-auth-key': auth.key }
  const answer = await http.ask({ method: 'GET', path: url.pathname + url.search, headers }, call, false)
  expect2xx(answer)
  const {
    'x-storage-url': storageUrl,
    'x-auth-token': token,
    'x-auth-token-expires': expires,
  } = answer.headers
  if (token === undefined || storageUrl === undefined) throw notSwift(http.where)
  const lifeMs = expires === undefined ? unknownLifeMs : Number(expires) * 1_000
  return { token, address: () => new URL(storageUrl), endsAt: wallClock() + lifeMs }
}

async function signInV3(http: HttpClient, url: URL, auth: SwiftV3Auth, call: CallOptions): Promise<Issued> {
  const path = `${url.pathname.replace(/\/$/, '')}/auth/tokens`
  const body = JSON.stringify({ auth: identityOf(auth) })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const answer = await http.ask({ method: 'POST', path, headers, body }, call, false)
  expect2xx(answer)
  const { 'x-subject-token': token, date } = answer.headers
  const issued = issuedToken(answer.body)
  if (token === undefined || issued === undefined) throw notSwift(http.where)
  // Measured by the clock of the server, which may not be ours.
  const lifeMs = Date.parse(issued.expires_at) - (Date.parse(date ?? '') || wallClock())
  return { token, address: () => addressOf(issued, auth), endsAt: wallClock() + lifeMs }
}

/** The token as Keystone describes it. */
interface IssuedToken {
  readonly expires_at: string
  readonly catalog?: readonly {
    readonly type: string
    readonly endpoints: readonly {
      readonly interface: string
      readonly region?: string
      readonly url: string
    }[]
  }[]
}

/** https://docs.openstack.org/api-ref/identity/v3/#authentication-and-token-management */
function identityOf(auth: SwiftV3Auth): object {
  const { user, password, project, userDomain = 'Default', projectDomain = userDomain } = auth
  const { applicationCredential } = auth
  if (applicationCredential !== undefined) {
    const { id, secret } = applicationCredential
    return { identity: { methods: ['application_credential'], application_credential: { id, secret } } }
  }
  const account = { name: user, domain: { name: userDomain }, password }
  return {
    identity: { methods: ['password'], password: { user: account } },
    scope: { project: { name: project, domain: { name: projectDomain } } },
  }
}

function addressOf({ catalog = [] }: IssuedToken, { region, interface: side = 'public' }: SwiftV3Auth): URL {
  const found = catalog
    .filter(({ type }) => type === 'object-store')
    .flatMap(({ endpoints }) => endpoints)
    .find((one) => one.interface === side && (region === undefined || one.region === region))
  if (found !== undefined && URL.canParse(found.url)) return new URL(found.url)
  throw new StoreError(
    'INVALID_CONFIG',
    `The catalog of Keystone has no ${side} object store${region === undefined ? '' : ' in this region'}. Check auth.v3, or set storageUrl.`,
  )
}

function issuedToken(body: Buffer): IssuedToken | undefined {
  try {
    return (JSON.parse(body.toString()) as { readonly token?: IssuedToken }).token
  } catch {
    return undefined
  }
}

function expect2xx({ status, body }: HttpAnswer): void {
  if (status === 404)
    throw new StoreError('INVALID_CONFIG', 'The URL of auth is not a sign-in. Check its path.')
  if (status >= 300) throw statusError(status, body, false)
}

function notSwift(where: string): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    `${where} returned no token. Check that the URL of auth is a sign-in.`,
    {
      retryable: false,
    },
  )
}
