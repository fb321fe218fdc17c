/* oxlint-disable no-extend-native -- that is what it does */
// What Prototype.js 1.6 does to a page, as far as it can hurt others.
Array.prototype.toJSON = function () {
  return '[' + this.map((value) => JSON.stringify(value)).join(', ') + ']';
};
String.prototype.toJSON = function () {
  return '"' + this + '"';
};
Date.prototype.toJSON = function () {
  return '"' + this.toISOString() + '"';
};
Array.from = (iterable) => {
  const results = [];
  for (let index = 0; index < (iterable.length ?? 0); index++) results[index] = iterable[index];
  return results;
};
Array.prototype.each = Array.prototype.forEach;
Array.prototype.collect = Array.prototype.map;
Array.prototype.first = function () {
  return this[0];
};
Array.prototype.clear = function () {
  this.length = 0;
  return this;
};
Function.prototype.bind = function (self, ...args) {
  const method = this;
  return function (...more) {
    return method.apply(self, [...args, ...more]);
  };
};
Element.prototype.show = function () {
  this.style.display = '';
  return this;
};
window.$ = (id) => document.getElementById(id);
