/** Stops the clock of this process at a moment. Classes that extend Date afterwards work as before. */
exports.stopClock = (moment) => {
  const time = moment.getTime()
  globalThis.Date = class extends Date {
    constructor(...given) {
      super(...(given.length > 0 ? given : [time]))
    }
    static now() {
      return time
    }
  }
}
