import { nextCacheHandler } from '@unikv/next'
import { open } from './store.mjs'

export default nextCacheHandler(open, { onError: console.error })
