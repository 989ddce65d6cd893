export type { SwiftCapabilities } from './capabilities.ts'
export type { SwiftAuth, SwiftDurability, SwiftOptions, SwiftV1Auth, SwiftV3Auth } from './options.ts'
export { prepareSwift, type SwiftNative, type SwiftStore, swift } from './swift.ts'
