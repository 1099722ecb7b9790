// The few OpenGL functions that cell fields need, loaded through a function that the caller has
// (glfwGetProcAddress, eglGetProcAddress). No GL header: it would bring a loader of its own along.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tilescope::viz::gl {

using Proc = void (*)();
using GetProc = Proc (*)(const char* name);

using Enum = unsigned int;
using Int = int;
using Uint = unsigned int;
using Float = float;

constexpr Enum kFragmentShader = 0x8B30, kVertexShader = 0x8B31;
constexpr Enum kCompileStatus = 0x8B81, kLinkStatus = 0x8B82;
constexpr Enum kTexture2d = 0x0DE1, kTexture0 = 0x84C0, kActiveTexture = 0x84E0;
constexpr Enum kTextureBinding2d = 0x8069, kSamplerBinding = 0x8919;
constexpr Enum kTextureMagFilter = 0x2800, kTextureMinFilter = 0x2801, kNearest = 0x2600;
constexpr Enum kTextureWrapS = 0x2802, kTextureWrapT = 0x2803, kClampToEdge = 0x812F;
constexpr Enum kR32ui = 0x8236, kRedInteger = 0x8D94, kUnsignedInt = 0x1405;
constexpr Enum kUnpackAlignment = 0x0CF5, kUnpackRowLength = 0x0CF2;
constexpr Enum kTriangleStrip = 0x0005;
constexpr Enum kScissorTest = 0x0C11, kBlend = 0x0BE2, kDepthTest = 0x0B71, kCullFace = 0x0B44;
constexpr Enum kOne = 1, kSrcAlpha = 0x0302, kOneMinusSrcAlpha = 0x0303, kFuncAdd = 0x8006;
constexpr Enum kCurrentProgram = 0x8B8D, kVertexArrayBinding = 0x85B5;

// name, result, parameters
#define TILESCOPE_GL_FUNCTIONS(X)                                                  \
  X(CreateShader, Uint, (Enum))                                                    \
  X(ShaderSource, void, (Uint, Int, const char* const*, const Int*))               \
  X(CompileShader, void, (Uint))                                                   \
  X(GetShaderiv, void, (Uint, Enum, Int*))                                         \
  X(GetShaderInfoLog, void, (Uint, Int, Int*, char*))                              \
  X(DeleteShader, void, (Uint))                                                    \
  X(CreateProgram, Uint, ())                                                       \
  X(AttachShader, void, (Uint, Uint))                                              \
  X(LinkProgram, void, (Uint))                                                     \
  X(GetProgramiv, void, (Uint, Enum, Int*))                                        \
  X(GetProgramInfoLog, void, (Uint, Int, Int*, char*))                             \
  X(DeleteProgram, void, (Uint))                                                   \
  X(IsProgram, unsigned char, (Uint))                                              \
  X(UseProgram, void, (Uint))                                                      \
  X(GetUniformLocation, Int, (Uint, const char*))                                  \
  X(Uniform1i, void, (Int, Int))                                                   \
  X(Uniform2i, void, (Int, Int, Int))                                              \
  X(Uniform1f, void, (Int, Float))                                                 \
  X(Uniform2f, void, (Int, Float, Float))                                          \
  X(Uniform3fv, void, (Int, Int, const Float*))                                    \
  X(Uniform4f, void, (Int, Float, Float, Float, Float))                            \
  X(GenVertexArrays, void, (Int, Uint*))                                           \
  X(BindVertexArray, void, (Uint))                                                 \
  X(DeleteVertexArrays, void, (Int, const Uint*))                                  \
  X(GenTextures, void, (Int, Uint*))                                               \
  X(BindTexture, void, (Enum, Uint))                                               \
  X(DeleteTextures, void, (Int, const Uint*))                                      \
  X(BindSampler, void, (Uint, Uint))                                               \
  X(ActiveTexture, void, (Enum))                                                   \
  X(TexParameteri, void, (Enum, Enum, Int))                                        \
  X(TexImage2D, void, (Enum, Int, Int, Int, Int, Int, Enum, Enum, const void*))    \
  X(TexSubImage2D, void, (Enum, Int, Int, Int, Int, Int, Enum, Enum, const void*)) \
  X(PixelStorei, void, (Enum, Int))                                                \
  X(DrawArrays, void, (Enum, Int, Int))                                            \
  X(Enable, void, (Enum))                                                          \
  X(Disable, void, (Enum))                                                         \
  X(BlendEquation, void, (Enum))                                                   \
  X(BlendFuncSeparate, void, (Enum, Enum, Enum, Enum))                             \
  X(Scissor, void, (Int, Int, Int, Int))                                           \
  X(Viewport, void, (Int, Int, Int, Int))                                          \
  X(GetIntegerv, void, (Enum, Int*))

struct Functions {
#define TILESCOPE_GL_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  TILESCOPE_GL_FUNCTIONS(TILESCOPE_GL_MEMBER)
#undef TILESCOPE_GL_MEMBER
};

/// Null if all were found, else the name of one that is missing.
const char* load(GetProc get_proc, Functions* functions);

}  // namespace tilescope::viz::gl
