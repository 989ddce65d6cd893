import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { isAbsolute } from 'node:path'
import { StoreError } from '../contract/errors.ts'

// Packages that are optional: drivers and codecs that a program installs only if it uses them. A bundler finds a driver
// only if the import stands in the source with a literal name, inside `try`, so that a missing one is not an error of the
// build. Hence the import is the adapter's, and what is said when it fails is here.

/**
 * The error for an optional package that could not be loaded, by what its import or `require` threw. It tells apart a
 * package that is not installed, one that is there and does not load, and one that a bundle left out.
 *
 * @param name - the package, or what was imported of it: `mariadb/callback`
 * @param install - what to give to `npm install`
 */
export function cannotLoad(name: string, cause: unknown, install: string = packageOf(name)): StoreError {
  return new StoreError('INVALID_CONFIG', sentences(packageOf(name), cause, install), { cause })
}

/**
 * Load a package at once, where no promise can be waited for. Bundlers do not see it: the package has to be installed
 * beside the bundle, as those with native code have to be anyway.
 *
 * @param here - `import.meta.url` of the caller, whose own package declares this one
 * @throws {StoreError} `INVALID_CONFIG` if it cannot be loaded
 */
export function requirePackage<T>(name: string, here: string | undefined, install?: string): T {
  try {
    return requireFrom(here)(name) as T
  } catch (cause) {
    throw cannotLoad(name, cause, install)
  }
}

/**
 * `require` as seen from the file of the caller, which in a bundle is the bundle. Package managers that are strict show a
 * package only what it declares itself.
 *
 * @param here - `import.meta.url` of the caller
 */
export function requireFrom(here: string | undefined): NodeJS.Require {
  // The runtime's own where it gives it: that of a test runner evaluates a driver among simulated globals.
  const { createRequire } = process.getBuiltinModule?.('node:module') ?? nodeModule
  return createRequire(placeOf(here))
}

/**
 * In a CommonJS bundle `import.meta` is empty, and in one of webpack it names a file of the machine that built it: then
 * `__filename` belongs to the bundle. Elsewhere it is a global that anybody may have set, such as `[eval]` of `node -e`.
 */
function placeOf(here: string | undefined): string {
  const isOwn = here?.startsWith('file:') === true && isInPlace(here)
  if (isOwn && webpackMade() === undefined) return here
  return typeof __filename === 'string' && isAbsolute(__filename) ? __filename : (here ?? '')
}

function isInPlace(url: string): boolean {
  try {
    return existsSync(new URL(url.replace(/[?#].*$/s, '')))
  } catch {
    return false // no path of this system
  }
}

/** Version of webpack or rspack, which write it into their bundles in place of this expression. */
function webpackMade(): number | undefined {
  return (import.meta as { readonly webpack?: number }).webpack
}

function sentences(name: string, cause: unknown, install: string): string {
  if (lacksRequire(cause))
    return `The package ${name} does not load: this bundle of ES modules has no require. Bundle as CommonJS, leave ${name} out of the bundle, or add a banner: import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url)`
  if (!isAbsent(name, cause))
    return `The package ${name} is installed but does not load; see the cause. Reinstall it for this platform and Node.js version: npm install ${install}`
  return isBundled()
    ? `The package ${name} is neither in this bundle nor installed beside it: npm install ${install} where the bundle runs, or before bundling without marking it as external.`
    : `The package ${name} is not installed: npm install ${install}`
}

/** A package of CommonJS inside a bundle of ES modules: the words of esbuild, rolldown and Node.js. */
function lacksRequire(cause: unknown): boolean {
  return /^Dynamic require of |^Calling `require` for |^require is not defined/.test(messageOf(cause))
}

/** Whether it is the package itself that was not found, rather than something that it needs. */
function isAbsent(name: string, cause: unknown): boolean {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return false
  const [, missing] = /(?:module|package) ['"]([^'"]+)['"]/.exec(messageOf(cause)) ?? []
  return missing === undefined || packageOf(missing) === name
}

/** Whether this code was put into a bundle: its file has another name then. */
export function isBundled(): boolean {
  if (webpackMade() !== undefined) return true
  const { url } = import.meta as { readonly url?: string }
  return url === undefined || !/\/optional-package\.[jt]s(\?|$)/.test(url)
}

function messageOf(cause: unknown): string {
  const { message } = (cause ?? {}) as { readonly message?: unknown }
  return typeof message === 'string' ? message : ''
}

/** `@scope/name` of `@scope/name/inside`. */
function packageOf(specifier: string): string {
  const [first = '', second] = specifier.split('/')
  return first.startsWith('@') && second !== undefined ? `${first}/${second}` : first
}
