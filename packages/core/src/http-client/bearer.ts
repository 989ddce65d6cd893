import { decoded, invalidConfig } from '../adapter/adapter-errors.ts'
import type { Awaitable } from '../contract/awaitable.ts'

/** A secret, or what finds it before each request. */
export type BearerToken = string | (() => string | Promise<string>) | undefined

/**
 * The URL of a server that is reached by `fetch`, without parameters: those are options.
 *
 * @throws {StoreError} `INVALID_CONFIG` with an example, without what the URL holds
 */
export function serverUrl(given: string | URL, example: string): URL {
  const text = String(given)
  if (!URL.canParse(text)) throw invalidConfig(`url is not a valid URL. Write ${example}.`)
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) throw invalidConfig('url must start with https:// or http://.')
  if (url.search !== '' || url.hash !== '') throw invalidConfig('url takes no parameters: they are options.')
  return url
}

/** Makes the header `Authorization`: of the token, or else of the password of the URL. */
export function bearerOf(token: BearerToken, url: URL): () => Awaitable<string | undefined> {
  const own = token ?? passwordOf(url)
  if (own === undefined) return () => undefined
  if (typeof own === 'function') return async () => `Bearer ${await own()}`
  if (!/^[\x21-\x7e]+$/.test(own)) throw invalidConfig('token must be text without spaces.')
  return () => `Bearer ${own}`
}

function passwordOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  return decoded(password === '' ? username : password)
}
