/** Parts of a store's URL. */
export interface StoreUrl {
  /** In lower case, without its colon; empty if there is none. */
  readonly scheme: string
  /** Between the scheme and the parameters. */
  readonly path: string
  /** Scheme and path, as an adapter wants them. */
  readonly rest: string
  readonly parameters: URLSearchParams
}

/** Take a URL apart. Not by `URL`, which knows neither relative paths nor several hosts. */
export function splitUrl(url: string): StoreUrl {
  const match = /^([a-z][a-z\d+.-]*):([^?]*)(?:\?(.*))?$/is.exec(url)
  const scheme = (match?.[1] ?? '').toLowerCase()
  const path = match?.[2] ?? ''
  return { scheme, path, rest: `${scheme}:${path}`, parameters: new URLSearchParams(match?.[3] ?? '') }
}
