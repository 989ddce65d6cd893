import type { CacheTarget } from '../../run/target.ts'
import type { StudyContext } from '../../study/study.ts'
import type { CacheInfo } from './result.ts'

/** The description of a cache in a result. */
export function cacheInfo(
  cache: CacheTarget,
  { serverOf }: Pick<StudyContext<unknown>, 'serverOf'>,
): CacheInfo {
  const { name, kind } = cache
  return cache.kind === 'in-process'
    ? { name, kind, share: cache.share, url: null, server: {} }
    : { name, kind, share: null, url: cache.url, server: serverOf(cache) }
}
