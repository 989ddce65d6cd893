import { nextUseCacheHandler } from '@unikv/next'
import { open } from './store.mjs'

export default nextUseCacheHandler(open, { onError: console.error })
