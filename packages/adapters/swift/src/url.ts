import { StoreError } from '@unikv/core'
import { decoded } from '@unikv/core/adapter'
import { type Opener, type Opening, oneOf, refuseOthers, withCredentials } from '@unikv/core/url'
import type { SwiftAuth, SwiftDurability } from './options.ts'
import { type SwiftStore, swift } from './swift.ts'

/** The options that a URL can set. */
export interface SwiftUrlOptions {
  readonly auth: SwiftAuth
  readonly durability: SwiftDurability | undefined
}

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface SwiftByScheme {
  readonly swift: SwiftStore<SwiftUrlOptions>
}

/** Makes the store of a URL of Swift. */
export const openSwift: Opener<SwiftByScheme> = (opening) => {
  const { parameters, dataset, name, prepare } = opening
  refuseOthers('swift', parameters, ['dataset', 'durability', 'tls', 'auth'])
  const url = urlOf(opening)
  const [container, ...more] = url.pathname.split('/').filter((part) => part !== '')
  if (more.length > 0) throw wrong('names one container: swift://user:key@host/container')
  return swift({
    auth: url.host === '' ? environmentAuth(opening) : v1Auth(url, parameters),
    container,
    prefix: dataset,
    prepare,
    durability: oneOf(parameters, 'durability', ['replicated', 'flushed', 'buffered']),
    name,
  })
}

function urlOf({ rest, scheme, environment }: Opening): URL {
  const text = withCredentials(rest, scheme, environment)
  if (!URL.canParse(text)) throw wrong('looks like swift://user:key@host:port/container')
  return new URL(text)
}

/** `swift://test%3Atester:key@host:port/container`, by the first protocol. */
function v1Auth({ host, username, password }: URL, parameters: URLSearchParams): SwiftAuth {
  const secure = oneOf(parameters, 'tls', ['true', 'false']) === 'true'
  const path = parameters.get('auth') ?? '/auth/v1.0'
  if (!path.startsWith('/')) throw wrong("needs a path in 'auth', such as /auth/v1.0")
  const url = `${secure ? 'https' : 'http'}://${host}${path}`
  return { v1: { url, user: decoded(username, 'A swift URL'), key: decoded(password, 'A swift URL') } }
}

/** `swift:///container`, with the variables of the OpenStack and Swift command lines. */
function environmentAuth({ environment, parameters }: Opening): SwiftAuth {
  if (parameters.has('tls') || parameters.has('auth'))
    throw wrong('without a host takes neither tls nor auth: the address is in OS_AUTH_URL or ST_AUTH')
  const { ST_AUTH: v1Url, ST_USER: user = '', ST_KEY: key = '', OS_AUTH_URL: v3Url } = environment
  if (v3Url === undefined && v1Url !== undefined) return { v1: { url: v1Url, user, key } }
  if (v3Url === undefined)
    throw wrong('without a host needs OS_AUTH_URL (Keystone), or ST_AUTH, ST_USER and ST_KEY')
  const { OS_APPLICATION_CREDENTIAL_ID: id, OS_APPLICATION_CREDENTIAL_SECRET: secret } = environment
  const { OS_REGION_NAME: region } = environment
  const place = { url: v3Url.replace(/\/?(v3\/?)?$/, '/v3'), region }
  if (id !== undefined && secret !== undefined)
    return { v3: { ...place, applicationCredential: { id, secret } } }
  return {
    v3: {
      ...place,
      user: environment['OS_USERNAME'],
      password: environment['OS_PASSWORD'],
      userDomain: environment['OS_USER_DOMAIN_NAME'],
      project: environment['OS_PROJECT_NAME'],
      projectDomain: environment['OS_PROJECT_DOMAIN_NAME'],
    },
  }
}

function wrong(how: string): StoreError {
  return new StoreError('INVALID_CONFIG', `A swift URL ${how}.`)
}
