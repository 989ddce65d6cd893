import { dirname, isAbsolute, join, posix, resolve } from 'node:path'
import { decodedPath } from '@unikv/core/url'
import { isPathUrl, splitUrl } from '@unikv/stores/lazy'

/** The folder of the file that a configuration was loaded from. */
const folders = new WeakMap<object, string>()

/** Note the file of a configuration: relative paths in it count from its folder. */
export function noteFile<T>(config: T, file: string): T {
  if (typeof config === 'object' && config !== null) folders.set(config, dirname(resolve(file)))
  return config
}

/** The folder of the file that a configuration was loaded from; `undefined` for one of the program. */
export function folderOf(config: unknown): string | undefined {
  return typeof config === 'object' && config !== null ? folders.get(config) : undefined
}

/** A URL whose relative path counts from a folder. Others stay as they are, and so do wrong ones, which are refused later. */
export function urlFrom(folder: string | undefined, url: string): string {
  if (folder === undefined || !isPathUrl(url)) return url
  const { scheme, path } = splitUrl(url)
  if (scheme === 'memory' || path === '' || path.startsWith('/') || isAbsolute(decoded(scheme, path)))
    return url
  const query = url.slice(scheme.length + 1 + path.length)
  const encoded = encodeURI(folder).replace(/[?#]/g, encodeURIComponent)
  return `${scheme}:${posix.join(encoded, path)}${query}`
}

/** A path of a file that counts from a folder. */
export function pathFrom(folder: string | undefined, path: string): string {
  return folder === undefined || isAbsolute(path) ? path : join(folder, path)
}

function decoded(scheme: string, path: string): string {
  try {
    return decodedPath(scheme, path)
  } catch {
    return path
  }
}
