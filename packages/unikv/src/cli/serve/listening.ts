import { randomBytes } from 'node:crypto'
import { StoreError } from '@unikv/core'
import { type Listening, type ListenOptions, listen } from '@unikv/http/node'
import { isUrl } from '../same-place.ts'

// Parts of the commands that listen.

/** Listen, or say that the port is taken. */
export async function listening(
  server: Parameters<typeof listen>[0],
  options: ListenOptions,
): Promise<Listening> {
  try {
    return await listen(server, options)
  } catch (cause) {
    const { code } = Object(cause) as { readonly code?: unknown }
    const why = code === 'EADDRINUSE' ? 'another program uses it' : String(code)
    throw new StoreError(
      'INVALID_ARGUMENT',
      `--port ${options.port} on ${options.host} cannot be had: ${why}.`,
      { cause },
    )
  }
}

/** `users=redis://…`, a URL, which is named by its scheme, or a name in the configuration. */
export function namedPlace(place: string): [name: string, place: string] {
  const [, name, url] = /^([\w-]+)=(.+)$/.exec(place) ?? []
  if (name !== undefined && url !== undefined && isUrl(url)) return [name, url]
  return isUrl(place) ? [place.slice(0, place.search(/[:+]/)), place] : [place, place]
}

/** The secret that callers must send; a new one if there is none. */
export function tokenOf({ token, unprotected }: { readonly token?: string; readonly unprotected?: true }): {
  readonly token: string | undefined
  readonly isNew: boolean
} {
  if (unprotected === true && token !== undefined)
    throw new StoreError('INVALID_ARGUMENT', 'Choose --token or --unprotected, not both.')
  if (unprotected === true) return { token: undefined, isNew: false }
  const given = token ?? process.env['UNIKV_TOKEN']
  return { token: given ?? randomBytes(24).toString('base64url'), isNew: given === undefined }
}

/** Names by which this server may be reached; on this machine alone those that it has, so that no page of another site gets in. */
export function hostsOf({
  host,
  hostname = [],
  unprotected,
}: {
  readonly host: string
  readonly hostname?: readonly string[]
  readonly unprotected?: true
}): readonly string[] | undefined {
  const isLocal = ['127.0.0.1', '::1', 'localhost'].includes(host)
  if (!isLocal && unprotected === true && hostname.length === 0)
    throw new StoreError(
      'INVALID_ARGUMENT',
      `--unprotected on ${host} needs --hostname: the names by which it is reached. Else pages of other sites reach it, too.`,
    )
  if (!isLocal && hostname.length === 0) return undefined
  return ['127.0.0.1', '[::1]', 'localhost', host, ...hostname]
}
