import type { Version } from '@unikv/core'

/** Headers of requests and answers, besides those of HTTP itself. */
export const names = {
  /** In each answer: the number of the protocol, by which a client tells this server from a proxy. */
  protocol: 'unikv',
  /** The version that a record has, or that a write leaves. */
  version: 'unikv-version',
  /** When a record expires, in milliseconds since 1970. */
  expiresAt: 'unikv-expires-at',
  /** Time to live in milliseconds, or `keep`. */
  ttl: 'unikv-ttl',
  /** Whether there was a record before a delete, where the store knows. */
  existed: 'unikv-existed',
  /** The length of a value in bytes, so that one that was cut on its way is told from a shorter one. */
  length: 'unikv-length',
  /** How long the caller waits, in milliseconds. */
  timeout: 'unikv-timeout',
} as const

/** The protocol that this package speaks. */
export const protocol = '1'

/** Part of every path. */
export const base = '/v1'

/** Records of a page of a listing, at most. */
export const mostListed = 1_000

/** Items of a batch, at most. */
export const mostItems = 10_000

/** A version as an entity tag. */
export function tagOf(version: Version): string {
  return `"${version}"`
}

/** One or more entity tags, and nothing else. */
const tags = /^\s*(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*\s*$/

/**
 * The versions that `If-Match` or `If-None-Match` names; `'*'`: any. Weak tags compare as strong ones: a proxy that compresses makes
 * them so, and a version is that of one value. A header of another form names none.
 */
export function versionsIn(header: string): '*' | readonly Version[] {
  if (header.trim() === '*') return '*'
  if (!tags.test(header)) return []
  return Array.from(header.matchAll(/"([^"]*)"/g), ([, version]) => version as Version)
}
